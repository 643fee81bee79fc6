// Edit distance, and the sentence made of it.
#include "conformance/host/system/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace zerocts {
namespace {

char Folded(char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Levenshtein, where upper and lower case and '-' and '_' are the same.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (Folded(a[i]) == Folded(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// What others call what we call otherwise.
constexpr std::pair<const char*, const char*> kOtherNames[] = {
    {"test", "check"},    {"verify", "check"}, {"float32", "fp32"}, {"float", "fp32"},
    {"bfloat16", "bf16"}, {"slurm", "srun"},   {"gpu", "cuda"},     {"torchrun", "command"},
};

std::vector<std::string> NamedOtherwise(const std::string& word, const std::vector<std::string>& candidates) {
  for (const auto& [theirs, ours] : kOtherNames) {
    if (word == theirs && std::ranges::find(candidates, ours) != candidates.end()) return {ours};
  }
  return {};
}

bool IsPartOf(const std::string& word, const std::string& candidate) {
  constexpr size_t kShortest = 3;
  const auto same = [](char a, char b) { return Folded(a) == Folded(b); };
  return word.size() >= kShortest && !std::ranges::search(candidate, word, same).empty();
}

}  // namespace

std::vector<std::string> Nearest(const std::string& word, const std::vector<std::string>& candidates) {
  if (const auto names = NamedOtherwise(word, candidates); !names.empty()) return names;
  const size_t reach = std::max<size_t>(2, word.size() / 3);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (IsPartOf(word, candidate))
      near.emplace_back(std::min<size_t>(distance, 1), candidate);
    else if (distance <= reach && distance < candidate.size())
      near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i) names.push_back(near[i].second);
  return names;
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = Nearest(word, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", fmt::join(near, " or "));
}

}  // namespace zerocts
