#include "conformance/plans/fuzz/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/system/exit_codes.hpp"
#include "conformance/plans/fuzz/corpus.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

/// As a shell takes it.
std::string Quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string AskAgain(const PlanFuzzOptions& options, const SavedCase& saved) {
  std::string command = fmt::format("zerocts plan fuzz --planner {} --cases 0 --corpus {}", Quoted(options.planner),
                                    Quoted(saved.request));
  if (options.growth.value_or(1) != 0)
    command += options.growth ? fmt::format(" --growth {}", *options.growth) : " --growth any";
  return command;
}

std::string CaseText(const PlanningRequest& request, const SavedCase& saved, bool of_plan,
                     const PlanFuzzOptions& options) {
  std::string text = fmt::format("  case     {}\n", ToString(request));
  if (of_plan && !saved.plan.empty()) text += fmt::format("  verify   zerocts plan verify {}\n", Quoted(saved.plan));
  return text + fmt::format("  again    {}\n", AskAgain(options, saved));
}

const Counterexample* FoundFor(const FuzzOutcome& outcome, const std::string& property) {
  for (const Counterexample& found : outcome.counterexamples) {
    if (found.property == property) return &found;
  }
  return nullptr;
}

std::string StandingOf(const FuzzOutcome& outcome, const std::string& property) {
  if (FoundFor(outcome, property)) return "BROKEN";
  const auto judged = outcome.judged.find(property);
  if (judged == outcome.judged.end() || judged->second == 0) return "asks nothing of these cases";
  return fmt::format("holds in {} {}", judged->second, judged->second == 1 ? "case" : "cases");
}

std::string PropertyText(const FuzzOutcome& outcome, const FuzzSettings& settings, const PlanFuzzOptions& options) {
  std::string text;
  for (const FuzzProperty& property : settings.properties)
    text += fmt::format("  {:<26}{}\n", property.name, StandingOf(outcome, property.name));
  for (const std::string& name : options.without) text += fmt::format("  {:<26}not asked: --without\n", name);
  if (!options.growth) text += fmt::format("  {:<26}not asked: no bound is declared\n", "no more on more ranks");
  return text;
}

int ExitCodeOf(const FuzzOutcome& outcome) {
  if (!outcome.counterexamples.empty()) return kExitNotConformant;
  if (outcome.end) return kExitCrashOrHang;
  return outcome.cases > outcome.refused ? kExitConformant : kExitNothingApplicable;
}

std::string VerdictLine(const FuzzOutcome& outcome) {
  switch (ExitCodeOf(outcome)) {
    case kExitNotConformant: return "NOT SOUND\n";
    case kExitCrashOrHang: return "CRASH OR HANG\n";
    case kExitNothingApplicable: return "NOTHING JUDGED: no plan was answered\n";
    default: return "sound\n";
  }
}

}  // namespace

PlanFuzzReport ReportOf(const FuzzOutcome& outcome, const FuzzSettings& settings, const PlanFuzzOptions& options) {
  const double rate = static_cast<double>(outcome.answers) / std::max(outcome.seconds, 1e-9);
  std::string text = fmt::format(
      "planner  {}\n{} cases, {} of them from the corpus, seed {}: {} plans in {:.1f} s, {:.0f} per second\n",
      PrintableLine(options.planner), outcome.cases, settings.corpus.size(), options.seed, outcome.answers,
      outcome.seconds, rate);
  if (outcome.refused > 0)
    text += fmt::format("{} cases were refused: the planner does not offer them\n", outcome.refused);
  text += PropertyText(outcome, settings, options);
  for (const Counterexample& found : outcome.counterexamples) {
    const std::string said = found.of_plan ? found.what : found.property + ": " + found.what;
    text += fmt::format("\n{}\n", PrintableLine(said));
    text +=
        CaseText(found.request, Save(options.out, found.property, found.request, found.plan), found.of_plan, options);
  }
  if (outcome.end) {
    text += fmt::format("\nthe planner {}\n", PrintableLine(outcome.end->what));
    text +=
        CaseText(outcome.end->request, Save(options.out, "end", outcome.end->request, std::nullopt), false, options);
  }
  return {text + "\n" + VerdictLine(outcome), ExitCodeOf(outcome)};
}

}  // namespace zerocts
