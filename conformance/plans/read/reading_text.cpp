#include "conformance/plans/reading.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/plans/plan_text.hpp"
#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts::read {
namespace {

constexpr size_t kMostShown = 20;

std::string Lines(const char* title, const std::vector<std::string>& sentences) {
  std::string text;
  for (size_t i = 0; i < sentences.size() && i < kMostShown; ++i)
    text += fmt::format("  {}: {}\n", title, sentences[i]);
  if (sentences.size() > kMostShown) text += fmt::format("  and {} more\n", sentences.size() - kMostShown);
  return text;
}

}  // namespace

std::string ReadingText(const Reading& reading, const plan::Verdict& verdict) {
  std::string text = fmt::format("{}\n", reading.format);
  if (verdict.sound() && !reading.faults.empty()) text += "NOT SOUND: the plan is, its files are not\n";
  text += Lines("fault", reading.faults);
  if (!verdict.sound() || reading.faults.empty()) text += VerdictText(reading.plan, verdict);
  return text + Lines("cannot be told", reading.untold);
}

std::string ReadingJson(const Reading& reading, const plan::Verdict& verdict) {
  nlohmann::ordered_json object = {{"format", reading.format},
                                   {"sound", IsSound(reading, verdict)},
                                   {"faults", reading.faults},
                                   {"untold", reading.untold},
                                   {"verdict", ParseOrderedJson(VerdictJson(verdict))}};
  return Dumped(object, 2) + "\n";
}

}  // namespace zerocts::read
