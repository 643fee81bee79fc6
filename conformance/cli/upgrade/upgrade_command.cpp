// zerocts upgrade SUBJECT OLD NEW: the same cases on two releases of a framework, and what changed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/own_run.hpp"
#include "conformance/cli/upgrade/bisect.hpp"
#include "conformance/cli/upgrade/release.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "conformance/report/html/run_html.hpp"
#include "conformance/report/terminal/failure_text.hpp"
#include "conformance/report/view/run_diff.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestBench{60};
constexpr const char* kUsualCheck[] = {"--tier", "smoke", "--ranks", "3"};

struct UpgradeOptions {
  ReleaseQuestion question;
  std::string from, to;
  std::string out;
  int bench_budget = 60;
  bool again = false, bisect = false;
};

/// One that comes in releases.
FrameworkSubject FrameworkOf(const std::string& subject) {
  if (IsTorchOptimizer(subject)) return TorchOptimizer(subject);
  const std::vector<FrameworkSubject>& all = FrameworkSubjects();
  const auto found = std::ranges::find(all, subject, &FrameworkSubject::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const FrameworkSubject& framework : all) names.push_back(framework.name);
  throw UsageError(
      fmt::format("expected a subject of a framework ({}, torch:FILE:CLASS), got '{}'; of anything else check "
                  "two builds, and compare the runs by zerocts diff",
                  fmt::join(names, ", "), subject));
}

std::string SideOf(const ReleaseQuestion& question, const Release& release) {
  std::string side =
      fmt::format("{},{}={}", question.subject, release.is_python() ? "python" : "version", release.name);
  for (const std::string& option : question.options) side += "," + option;
  return side;
}

/// What bench compare says of times and bytes, or why it says nothing.
std::string SpeedOf(const UpgradeOptions& options, const Release& from, const Release& to) {
  if (options.bench_budget == 0) return "";
  const std::string output = options.out + "/bench.txt", errors = options.out + "/bench.errors.txt";
  SayError(0, fmt::format("compares their speed for {} s", options.bench_budget));
  RunOwnProgram({"bench", "compare", SideOf(options.question, from), SideOf(options.question, to), "--model", "tiny",
                 "--budget", std::to_string(options.bench_budget)},
                output, errors, kLongestBench);
  const std::string said = FileText(output);
  return "\n" + Printable(said.empty() ? fmt::format("speed: not compared: {}\n", LastLineOf(errors)) : said);
}

std::set<std::string> NewlyFailing(const RunDiff& diff) {
  std::set<std::string> clauses;
  const auto found = diff.changes.find(ChangeKind::kNewlyFailing);
  if (found == diff.changes.end()) return clauses;
  for (const Change& change : found->second) {
    if (change.part.what.starts_with("C-")) clauses.insert(change.part.what);
  }
  return clauses;
}

/// The first failure of each clause that fails newly, with how to show it.
std::string FailuresOf(const RunView& run, const std::set<std::string>& clauses) {
  std::string text;
  for (const ClauseView& clause : run.clauses) {
    if (!clauses.contains(clause.id)) continue;
    for (const ConfigurationView& configuration : clause.configurations) {
      const auto& failures = configuration.failures.empty() ? configuration.expected : configuration.failures;
      if (failures.empty()) continue;
      const nlohmann::json& failure = failures.front();
      text += fmt::format("\n{} under {}: {}\nreplay    {}\n{}", clause.id, configuration.name(),
                          failure.value("summary", ""), ReplayCommand(failure),
                          ReproducerText(failure.value("reproducer", nlohmann::json())));
      break;
    }
  }
  return text;
}

/// Does the clause newly fail in this release? Nothing where it cannot be run, which is said.
std::optional<bool> NewlyFails(const UpgradeOptions& options, const FrameworkSubject& framework, const RunView& before,
                               const std::string& clause, const std::string& release) {
  try {
    const CheckedRelease checked =
        CheckRelease(options.question, FindRelease(framework, "--bisect", release), "", false);
    return NewlyFailing(DiffOf(before, checked.run)).contains(clause);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::runtime_error& error) {
    SayError(0, fmt::format("{} is left out: {}", release, error.what()));
    return std::nullopt;
  }
}

/// "C-ZERO-031 newly fails since 2.9.0", of each clause.
std::string Bisected(const UpgradeOptions& options, const FrameworkSubject& framework,
                     const std::vector<std::string>& releases, const RunView& before,
                     const std::set<std::string>& clauses) {
  if (clauses.empty()) return "\nnothing newly fails: there is nothing to bisect\n";
  std::string text = "\n";
  for (const std::string& clause : clauses) {
    const std::string first = FirstWrong(
        releases, [&](const std::string& release) { return NewlyFails(options, framework, before, clause, release); });
    text += fmt::format("{} newly fails since {}\n", clause, first);
  }
  return text;
}

/// Those that --bisect may run; none without it.
std::vector<std::string> ReleasesToBisect(const UpgradeOptions& options, const FrameworkSubject& framework) {
  if (!options.bisect) return {};
  if ((options.from + options.to).find('/') != std::string::npos)
    throw UsageError("--bisect: expected two releases by their numbers, got a Python; what lies between is not known");
  return ReleasesBetween(framework.framework, options.from, options.to);
}

/// What upgrade says to check itself is no word of the user's.
void RequireWordsOfCheck(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const char* own : {"--subject", "--version", "--python", "--option", "--out", "--help"}) {
      if (word == own || word.starts_with(std::string(own) + "="))
        throw UsageError(
            fmt::format("behind --: expected words of zerocts check that say what is judged, got {}; options of the "
                        "subject and the folder stand before --",
                        own));
    }
  }
}

void AddFacts(const ReleaseFacts& before, const ReleaseFacts& after, RunDiff& diff) {
  const std::string& problem = before.problem.empty() ? after.problem : before.problem;
  if (problem.empty()) {
    diff.declared.Add(before.values, after.values);
  } else {
    diff.remarks += fmt::format("\ndefaults and keys of checkpoints: not compared: {}\n", problem);
  }
}

std::string DateOf(const CheckedRelease& checked) {
  if (!checked.kept) return "";
  const RunView& run = checked.run;
  return fmt::format("{} {} was measured on {}, in {}; --again measures it anew\n", run.subject_name(),
                     run.subject_version(), run.run.value("started", ""), checked.folder.string());
}

int Upgrade(UpgradeOptions options) {
  const FrameworkSubject framework = FrameworkOf(options.question.subject);
  RequireWordsOfCheck(options.question.check);
  const std::vector<std::string> releases = ReleasesToBisect(options, framework);
  TakeVariables();  // the words alone say what is run, so that a kept run is of the same question
  if (options.question.check.empty()) options.question.check.assign(std::begin(kUsualCheck), std::end(kUsualCheck));
  const Release from = FindRelease(framework, "OLD", options.from), to = FindRelease(framework, "NEW", options.to);
  if (options.out.empty())
    options.out =
        fmt::format("zerocts-results/{}-{}-to-{}", FolderName(framework.name), from.folder_name(), to.folder_name());
  const fs::path out = options.out;
  MakeFolder(out);
  const NotedInterrupts interrupts;
  const CheckedRelease before = CheckRelease(options.question, from, out / ("1-" + from.folder_name()), options.again);
  const CheckedRelease after = CheckRelease(options.question, to, out / ("2-" + to.folder_name()), options.again);
  if (before.run.cases() + after.run.cases() == 0)
    throw HarnessError(fmt::format("neither release came to a case; what they said is in {} and {}",
                                   before.folder.string(), after.folder.string()));
  RunDiff diff = DiffOf(before.run, after.run);
  AddFacts(FactsOf(framework.name, from), FactsOf(framework.name, to), diff);
  const std::set<std::string> newly = NewlyFailing(diff);
  if (options.bisect) diff.remarks += Bisected(options, framework, releases, before.run, newly);
  diff.remarks += SpeedOf(options, from, to);
  const std::string text =
      DateOf(before) + DateOf(after) + DiffText(diff, false) + FailuresOf(after.run, newly) + diff.remarks;
  WriteResult((out / "upgrade.txt").string(), text);
  WriteResult((out / "upgrade.json").string(), ToJson(diff).dump(1) + "\n");
  WriteResult((out / "upgrade.html").string(), HtmlOf(after.run, &diff));
  fmt::print("{}\ntext: {}\npage: {}\n", text, (out / "upgrade.txt").string(), (out / "upgrade.html").string());
  return diff.exit_code();
}

}  // namespace

void AddUpgradeCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<UpgradeOptions>();
  CLI::App* command = program.add_subcommand(
      "upgrade",
      "What changes for a subject from one release of its framework to another: the same cases on both, defaults, keys "
      "of checkpoints, bytes and speed; exit codes of diff");
  command->add_option("SUBJECT", options->question.subject, "A framework's (zerocts subjects), or torch:FILE:CLASS")
      ->required();
  command->add_option("OLD", options->from, "A release such as 2.8.0, or the path (with a /) of a Python that has it")
      ->required();
  command->add_option("NEW", options->to, "The release that is compared with it")->required();
  command->add_option("CHECK", options->question.check,
                      "Behind --: words of zerocts check for both (default: --tier smoke --ranks 3)");
  command->add_option("--option", options->question.options, "key=value for the subject; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--bisect", options->bisect, "Find the first release in which each clause newly fails");
  command->add_flag("--again", options->again, "Run both, also where a run is kept");
  command
      ->add_option("--bench-budget", options->bench_budget,
                   "Seconds in which bench compares times and bytes; 0: it does not")
      ->check(CLI::Range(0, 3600))
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder for results (default: zerocts-results/SUBJECT-OLD-to-NEW)");
  command->callback([options, &exit_code] { exit_code = Upgrade(*options); });
}

}  // namespace zerocts
