#include "conformance/report/terminal/brief_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

namespace zerocts {
namespace {

using nlohmann::json;

constexpr std::string_view kTraceback = "Traceback (most recent call last)";
constexpr size_t kLongestLine = 400;
constexpr size_t kLinesOfSentence = 6, kLinesOfDivergence = 12, kLinesOfOutput = 4;
constexpr size_t kRanks = 2;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string Text(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

std::string Shortened(const std::string& line) {
  return line.size() <= kLongestLine ? line : line.substr(0, kLongestLine) + " ..";
}

std::string ShortLines(const std::string& text, size_t most) {
  std::vector<std::string> lines = Lines(text);
  std::ranges::transform(lines, lines.begin(), Shortened);
  return FirstLines(Text(lines), most);
}

/// What a rank said last counts.
std::string LastLines(const std::string& text, size_t most) {
  std::vector<std::string> lines = Lines(text);
  if (lines.size() > most) {
    const size_t cut = lines.size() - most;
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(cut));
    lines.insert(lines.begin(), fmt::format("({} lines above: --verbose and results.ndjson have them)", cut));
  }
  std::ranges::transform(lines, lines.begin(), Shortened);
  return Text(lines);
}

bool IsIndentedOrBlank(const std::string& line) {
  return line.empty() || std::isspace(static_cast<unsigned char>(line.front()));
}

/// "rank 2 refused step .." names rank 2, and not rank 21.
bool Names(const std::string& sentence, const json& rank) {
  const std::string name = fmt::format("rank {}", rank.value("rank", -1));
  for (size_t at = sentence.find(name); at != std::string::npos; at = sentence.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == sentence.size() || !std::isdigit(static_cast<unsigned char>(sentence[end]))) return true;
  }
  return false;
}

/// Those that the sentence names come first.
json BriefRanks(const json& all, const std::string& sentence) {
  std::vector<json> ranks(all.begin(), all.end());
  std::ranges::stable_partition(ranks, [&](const json& rank) { return Names(sentence, rank); });
  ranks.resize(std::min(ranks.size(), kRanks));
  for (json& rank : ranks) {
    if (rank.contains("output")) rank["output"] = LastLines(rank["output"], kLinesOfOutput);
    if (rank.contains("state")) rank["state"] = Shortened(rank["state"]);
  }
  return ranks;
}

}  // namespace

std::string CauseOf(const std::string& sentence) {
  const size_t at = sentence.find(kTraceback);
  if (at == std::string::npos) return sentence.substr(0, sentence.find('\n'));
  const std::vector<std::string> lines = Lines(sentence.substr(at));
  const auto last = std::find_if_not(lines.rbegin(), lines.rend(), IsIndentedOrBlank);
  std::string before = sentence.substr(0, at);
  while (!before.empty() && std::isspace(static_cast<unsigned char>(before.back()))) before.pop_back();
  return before.empty() ? *last : fmt::format("{} {}", before, *last);
}

json Brief(json failure) {
  const std::string sentence = failure.value("sentence", "");
  const bool is_traceback = sentence.find(kTraceback) != std::string::npos;
  failure["sentence"] = is_traceback ? Shortened(CauseOf(sentence)) : ShortLines(sentence, kLinesOfSentence);
  if (failure.contains("divergence")) failure["divergence"] = ShortLines(failure["divergence"], kLinesOfDivergence);
  if (!failure.contains("ranks")) return failure;
  const size_t all = failure["ranks"].size();
  failure["ranks"] = BriefRanks(failure["ranks"], sentence);
  failure["more_ranks"] = all - failure["ranks"].size();
  return failure;
}

std::string FirstLines(const std::string& text, size_t most) {
  std::vector<std::string> lines = Lines(text);
  if (lines.size() <= most) return text;
  const size_t cut = lines.size() - (most - 1);
  lines.resize(most - 1);
  lines.push_back(fmt::format("({} more lines: --verbose and results.ndjson have them)", cut));
  return Text(lines) + '\n';
}

size_t LinesOf(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

}  // namespace zerocts
