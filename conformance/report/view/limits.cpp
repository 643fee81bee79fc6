#include "conformance/report/view/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace zerocts {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

constexpr int kMostStage = 3;

/// Features that training usually has, in words.
constexpr std::pair<const char*, const char*> kUsual[] = {
    {"accumulation", "accumulation"}, {"clip", "clipping"}, {"checkpoint", "checkpoints"}};

/// "fp32, bf16 and fp16".
std::string Listed(Strings words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} and {}", fmt::join(words, ", "), last);
}

/// "1 to 4", "1 and 3".
std::string Numbers(const std::vector<int>& numbers) {
  const bool is_range = numbers.size() > 2 && numbers.back() - numbers.front() + 1 == std::ssize(numbers);
  if (is_range) return fmt::format("{} to {}", numbers.front(), numbers.back());
  Strings words;
  for (const int number : numbers) words.push_back(std::to_string(number));
  return Listed(words);
}

std::string Ranks(const json& run, const json& declared) {
  const auto asked = run.value("world_sizes", std::vector<int>());
  const auto sizes = declared.value("world_sizes", std::vector<int>());
  if (asked.empty()) return "";
  const std::string text =
      fmt::format("for {} rank{}", Numbers(asked), asked.size() == 1 && asked.front() == 1 ? "" : "s");
  return sizes.size() == 2 && sizes.back() > asked.back() ? fmt::format("{} of {} declared", text, sizes.back()) : text;
}

/// Those of the cases that ran.
std::string Stages(const RunView& view) {
  std::vector<int> stages;
  for (int stage = 0; stage <= kMostStage; ++stage) {
    const std::string feature = fmt::format("stage{}", stage);
    if (std::ranges::any_of(view.clauses, [&](const ClauseView& c) { return c.features.contains(feature); }))
      stages.push_back(stage);
  }
  return stages.empty() ? "" : fmt::format("stage{} {}", stages.size() == 1 ? "" : "s", Numbers(stages));
}

/// Those of the run that the subject declares.
std::string Precisions(const json& run, const json& declared) {
  const auto can = declared.value("param_dtypes", Strings());
  auto precisions = run.value("precisions", Strings());
  std::erase_if(precisions, [&](const std::string& precision) {
    return !can.empty() && std::ranges::find(can, precision) == can.end();
  });
  return Listed(precisions);
}

std::string Lacking(const json& declared) {
  Strings lacking;
  for (const auto& [feature, words] : kUsual) {
    if (!declared.empty() && !declared.value(feature, false)) lacking.push_back(words);
  }
  return lacking.empty() ? "" : "without " + Listed(lacking);
}

/// "with ds.zero_optimization.overlap_comm=true"
std::string Options(const json& run) {
  const json given = run.value("subject", json::object()).value("options", json::object());
  Strings options;
  for (const auto& [name, value] : given.items()) options.push_back(name + "=" + value.get<std::string>());
  return options.empty() ? "" : "with " + Listed(options);
}

}  // namespace

std::string LimitsOf(const RunView& view) {
  if (!view.run.is_object()) return "";
  const json declared = view.run.value("subject", json::object()).value("capabilities", json::object());
  Strings limits;
  for (const std::string& limit : {Ranks(view.run, declared), Stages(view), Precisions(view.run, declared),
                                   Options(view.run), Lacking(declared)}) {
    if (!limit.empty()) limits.push_back(limit);
  }
  return fmt::format("{}", fmt::join(limits, ", "));
}

}  // namespace zerocts
