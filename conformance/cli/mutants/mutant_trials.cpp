#include "conformance/cli/mutants/mutant_trials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "conformance/cli/own_run.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {
namespace {

constexpr std::chrono::minutes kLongestCheck{30};  // far above what deadlines inside a check add up to

/// "native device=sim", "native uneven_cuts.json", "native W=9".
std::string NameOfControl(const InstalledMutant& of) {
  std::vector<std::string> words = {of.subject};
  words.insert(words.end(), of.options.begin(), of.options.end());
  if (!of.plan.empty()) words.push_back(std::filesystem::path(of.plan).filename());
  if (!of.ranks.empty()) words.push_back("W=" + of.ranks);
  return fmt::format("{}", fmt::join(words, " "));
}

/// One failure of a named clause is a kill. Where all clauses are asked, all that they say is wanted.
std::vector<std::string> CommandOf(const MutantTrial& trial) {
  std::vector<std::string> command = {"check"};
  command.insert(command.end(), trial.suspect.clauses.begin(), trial.suspect.clauses.end());
  for (const std::string& option : trial.suspect.mutant.options) command.insert(command.end(), {"--option", option});
  if (!trial.suspect.mutant.plan.empty())
    command.insert(command.end(), {"--plan", "file:" + trial.suspect.mutant.plan});
  if (!trial.suspect.clauses.empty()) command.push_back("--fail-fast");
  const std::string& ranks = trial.suspect.mutant.ranks.empty() ? trial.ranks : trial.suspect.mutant.ranks;
  if (!ranks.empty() && trial.suspect.mutant.plan.empty()) command.insert(command.end(), {"--ranks", ranks});
  command.insert(command.end(),
                 {"--subject", "plugin:" + trial.suspect.plugin, "--launcher", "threads", "--no-shrink", "--tier",
                  trial.tier, "--jobs", "1", "--seed", std::to_string(trial.seed), "--out", trial.folder});
  return command;
}

/// Is there a log of an earlier call that proves something?
bool IsThere(const MutantTrial& trial) {
  return std::filesystem::exists(LogOf(trial)) && EvidenceOf(ViewOfLog(LogOf(trial))).problem.empty();
}

/// The log alone is believed; whatever goes wrong on the way to it proves nothing.
RunEvidence Try(const MutantTrial& trial, bool resume) {
  const std::string log = LogOf(trial), output = trial.folder + "/output.txt";
  try {
    if (resume && IsThere(trial)) return EvidenceOf(ViewOfLog(log));
    std::filesystem::create_directories(trial.folder);
    std::filesystem::remove(log);
    RunOwnProgram(CommandOf(trial), output, output, kLongestCheck);
    if (!std::filesystem::exists(log))
      return {.problem = "zerocts check wrote no results; its output is in " + output, .complaints = {}};
    return EvidenceOf(ViewOfLog(log));
  } catch (const std::exception& error) {
    return {.problem = error.what(), .complaints = {}};
  }
}

void SayProgress(size_t done, size_t all, const MutantTrial& trial, const RunEvidence& evidence) {
  std::string seen =
      evidence.complaints.empty() ? "no complaint" : fmt::format("{}", fmt::join(evidence.complaints, " "));
  if (!evidence.problem.empty()) seen = evidence.problem;
  fmt::print(stderr, "[{}/{}] {} seed {}: {}\n", done, all, trial.suspect.mutant.id, trial.seed, seen);
}

}  // namespace

std::vector<Suspect> SuspectsOf(const std::vector<InstalledMutant>& mutants, bool all_clauses) {
  // Its options, its plan file, its ranks.
  using Subject = std::tuple<std::string, std::vector<std::string>, std::string, std::string>;
  std::map<Subject, std::set<std::string>> clauses_of_subject;
  std::vector<Suspect> suspects;
  for (const InstalledMutant& mutant : mutants) {
    clauses_of_subject[{mutant.subject, mutant.options, mutant.plan, mutant.ranks}].insert(mutant.clauses.begin(),
                                                                                           mutant.clauses.end());
    suspects.push_back({.mutant = mutant,
                        .plugin = InstalledPath("lib/zerocts/mutants/" + mutant.id + ".so"),
                        .clauses = all_clauses ? std::vector<std::string>{} : mutant.clauses});
  }
  for (const auto& [judged, clauses] : clauses_of_subject) {
    const auto& [subject, options, plan, ranks] = judged;
    Suspect control{.mutant = {.id = "",
                               .title = "without any fault",
                               .subject = subject,
                               .clauses = {},
                               .bugs = {},
                               .options = options,
                               .plan = plan,
                               .ranks = ranks,
                               .benign = true},
                    .plugin = InstalledPath("lib/zerocts/subjects/" + subject + ".so"),
                    .clauses = {}};
    control.mutant.id = NameOfControl(control.mutant);
    if (!all_clauses) control.clauses.assign(clauses.begin(), clauses.end());
    suspects.insert(suspects.begin(), control);
  }
  return suspects;
}

std::string LogOf(const MutantTrial& trial) { return trial.folder + "/results.ndjson"; }

std::vector<RunEvidence> TryAll(const std::vector<MutantTrial>& trials, size_t jobs, bool resume) {
  std::vector<RunEvidence> evidence(trials.size());
  std::atomic<size_t> next = 0;
  size_t done = 0;
  std::mutex progress;
  const auto work = [&] {
    for (size_t i = next++; i < trials.size(); i = next++) {
      evidence[i] = Try(trials[i], resume);
      const std::lock_guard lock(progress);
      SayProgress(++done, trials.size(), trials[i], evidence[i]);
    }
  };
  std::vector<std::jthread> workers;
  for (size_t job = 0; job < std::min(jobs, trials.size()); ++job) workers.emplace_back(work);
  workers.clear();
  return evidence;
}

}  // namespace zerocts
