#include "conformance/plans/fuzz/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/words/shell_word.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

std::string AskAgain(const PlanFuzzOptions& options, const SavedCase& saved) {
  std::string command = fmt::format("zerocts plan fuzz --planner {} --cases 0 --corpus {}", ShellWord(options.planner),
                                    ShellWord(saved.request));
  if (options.growth.value_or(1) != 0)
    command += options.growth ? fmt::format(" --growth {}", *options.growth) : " --growth any";
  return command;
}

std::string CaseText(const PlanningRequest& request, const SavedCase& saved, bool of_plan,
                     const PlanFuzzOptions& options) {
  std::string text = fmt::format("  case     {}\n", ToString(request));
  if (of_plan && !saved.plan.empty()) text += fmt::format("  verify   zerocts plan verify {}\n", ShellWord(saved.plan));
  return text + fmt::format("  again    {}\n", AskAgain(options, saved));
}

std::string ResultOf(const SavedRun& run, const std::string& property) {
  if (run.Found(property)) return "BROKEN";
  const int judged = run.Judged(property);
  if (judged == 0) return "asks nothing of these cases";
  return fmt::format("holds in {} {}", judged, judged == 1 ? "case" : "cases");
}

std::string PropertyText(const SavedRun& run) {
  std::string text;
  for (const FuzzProperty& property : run.settings.properties)
    text += fmt::format("  {:<26}{}\n", property.name, ResultOf(run, property.name));
  for (const std::string& name : run.options.without) text += fmt::format("  {:<26}not asked: --without\n", name);
  if (!run.options.growth) text += fmt::format("  {:<26}not asked: --growth N bounds it\n", "no more on more ranks");
  return text;
}

std::string VerdictLine(const SavedRun& run) {
  switch (run.exit_code()) {
    case kExitNotConformant: return "NOT SOUND\n";
    case kExitCrashOrHang: return "CRASH OR HANG\n";
    case kExitNothingApplicable: return "NOTHING JUDGED: no plan was answered\n";
    default: return "sound\n";
  }
}

}  // namespace

int SavedRun::exit_code() const {
  if (!outcome.counterexamples.empty()) return kExitNotConformant;
  if (outcome.end) return kExitCrashOrHang;
  return outcome.cases > outcome.refused ? kExitConformant : kExitNothingApplicable;
}

const Counterexample* SavedRun::Found(const std::string& property) const {
  for (const Counterexample& found : outcome.counterexamples) {
    if (found.property == property) return &found;
  }
  return nullptr;
}

int SavedRun::Judged(const std::string& property) const {
  const auto judged = outcome.judged.find(property);
  return judged == outcome.judged.end() ? 0 : judged->second;
}

SavedRun Saved(const FuzzOutcome& outcome, const FuzzSettings& settings, const PlanFuzzOptions& options) {
  SavedRun run{outcome, settings, options, {}, {}};
  for (const Counterexample& found : outcome.counterexamples)
    run.counterexamples.push_back(Save(options.out, found.property, found.request, found.plan));
  if (outcome.end) run.end = Save(options.out, "end", outcome.end->request, std::nullopt);
  return run;
}

std::string FuzzText(const SavedRun& run) {
  const FuzzOutcome& outcome = run.outcome;
  const double rate = static_cast<double>(outcome.answers) / std::max(outcome.seconds, 1e-9);
  std::string text = fmt::format(
      "planner  {}\n{} cases, {} of them from the corpus, seed {}: {} plans in {:.1f} s, {:.0f} per second\n",
      PrintableLine(run.options.planner), outcome.cases, run.settings.corpus.size(), run.options.seed, outcome.answers,
      outcome.seconds, rate);
  if (outcome.refused > 0)
    text += fmt::format("{} cases were refused: the planner does not offer them\n", outcome.refused);
  text += PropertyText(run);
  for (size_t i = 0; i < outcome.counterexamples.size(); ++i) {
    const Counterexample& found = outcome.counterexamples[i];
    text += fmt::format("\n{}\n", PrintableLine(SentenceOf(found)));
    text += CaseText(found.request, run.counterexamples[i], found.of_plan, run.options);
  }
  if (outcome.end) {
    text += fmt::format("\nthe planner {}\n", PrintableLine(outcome.end->what));
    text += CaseText(outcome.end->request, run.end, false, run.options);
  }
  return text + "\n" + VerdictLine(run);
}

}  // namespace zerocts
