// zerocts mutants: does the suite see the faults that it was built for, and nothing where there is none? Each known
// fault is judged by a plain `zerocts check` of its own, under several seeds.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include "conformance/cli/check/tiers.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/mutants/mutant_diagnosis.hpp"
#include "conformance/cli/mutants/mutant_verdict.hpp"
#include "conformance/cli/nearest.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/run_view.hpp"

namespace zerocts {
namespace {

constexpr std::chrono::minutes kLongestCheck{30};  // far above what deadlines inside a check add up to

struct MutantsOptions {
  std::vector<std::string> ids;
  std::string seeds = "5", first_seed = "1", jobs = "1", tier = "default", out = "zerocts-results/mutants";
  std::string ranks, record;
  bool matrix = false, list = false, diagnose = false, resume = false;

  bool all_clauses() const { return matrix || diagnose || !record.empty(); }
};

std::vector<InstalledMutant> Selected(const std::vector<std::string>& ids) {
  const std::vector<InstalledMutant> all = InstalledMutants();
  if (all.empty())
    throw UsageError("expected mutants beside the program, found none; build them with -DZEROCTS_BUILD_MUTANTS=ON");
  if (ids.empty()) return all;
  std::vector<std::string> known;
  for (const InstalledMutant& mutant : all) known.push_back(mutant.id);
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw UsageError(fmt::format("expected the id of a mutant, got '{}'{}", id, DidYouMean(id, known)));
    }
  }
  std::vector<InstalledMutant> selected;
  for (const InstalledMutant& mutant : all) {
    if (std::find(ids.begin(), ids.end(), mutant.id) != ids.end()) selected.push_back(mutant);
  }
  return selected;
}

std::string WritableFolder(const std::string& path) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path);
  std::filesystem::create_directories(absolute, error);
  if (error || access(absolute.c_str(), W_OK) != 0) {
    throw UsageError(fmt::format("--out: expected a folder that can be written, got '{}'{}; choose another", path,
                                 error ? " (" + error.message() + ")" : ""));
  }
  return absolute;
}

/// What is judged, the same way whatever must come of it.
struct Suspect {
  InstalledMutant mutant;
  std::string plugin;                // path
  std::vector<std::string> clauses;  // to check; none: all
};

std::vector<std::string> Joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// "native device=sim", "native uneven_cuts.json".
std::string NameOfControl(const std::string& subject, const std::vector<std::string>& options,
                          const std::string& plan) {
  std::vector<std::string> words = Joined({subject}, options);
  if (!plan.empty()) words.push_back(std::filesystem::path(plan).filename());
  return fmt::format("{}", fmt::join(words, " "));
}

/// The mutants, and before them, as controls, the subjects that they were made from: a clause that fails without any
/// fault kills nothing.
std::vector<Suspect> SuspectsOf(const std::vector<InstalledMutant>& mutants, bool all_clauses) {
  using Subject = std::tuple<std::string, std::vector<std::string>, std::string>;  // its options, its plan file
  std::map<Subject, std::set<std::string>> clauses_of_subject;
  std::vector<Suspect> suspects;
  for (const InstalledMutant& mutant : mutants) {
    clauses_of_subject[{mutant.subject, mutant.options, mutant.plan}].insert(mutant.clauses.begin(),
                                                                             mutant.clauses.end());
    suspects.push_back({.mutant = mutant,
                        .plugin = InstalledPath("lib/zerocts/mutants/" + mutant.id + ".so"),
                        .clauses = all_clauses ? std::vector<std::string>{} : mutant.clauses});
  }
  for (const auto& [judged, clauses] : clauses_of_subject) {
    const auto& [subject, options, plan] = judged;
    Suspect control{.mutant = {.id = NameOfControl(subject, options, plan),
                               .title = "without any fault",
                               .subject = subject,
                               .clauses = {},
                               .bugs = {},
                               .options = options,
                               .plan = plan,
                               .benign = true},
                    .plugin = InstalledPath("lib/zerocts/subjects/" + subject + ".so"),
                    .clauses = {}};
    if (!all_clauses) control.clauses.assign(clauses.begin(), clauses.end());
    suspects.insert(suspects.begin(), control);
  }
  return suspects;
}

/// One suspect under one seed.
struct MutantTrial {
  Suspect suspect;
  std::string tier;
  std::string ranks;  // "": all
  uint64_t seed = 1;
  std::string folder;  // of its results and its output
};

std::vector<std::string> CommandOf(const MutantTrial& trial) {
  std::vector<std::string> command = {"zerocts", "check"};
  command.insert(command.end(), trial.suspect.clauses.begin(), trial.suspect.clauses.end());
  for (const std::string& option : trial.suspect.mutant.options) command.insert(command.end(), {"--option", option});
  if (!trial.suspect.mutant.plan.empty())
    command.insert(command.end(), {"--plan", "file:" + trial.suspect.mutant.plan});
  if (!trial.ranks.empty() && trial.suspect.mutant.plan.empty())
    command.insert(command.end(), {"--ranks", trial.ranks});
  command.insert(command.end(),
                 {"--subject", "plugin:" + trial.suspect.plugin, "--launcher", "threads", "--no-shrink", "--tier",
                  trial.tier, "--jobs", "1", "--seed", std::to_string(trial.seed), "--out", trial.folder});
  return command;
}

/// Runs this program with these arguments, its output into a file, until it ends. Throws HarnessError.
void RunProgram(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw HarnessError(fmt::format("cannot start zerocts check: {}", std::generic_category().message(error)));
  const auto deadline = std::chrono::steady_clock::now() + kLongestCheck;
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      throw HarnessError(fmt::format("zerocts check did not end within {} minutes and was killed; its output is in {}",
                                     kLongestCheck.count(), output));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string LogOf(const MutantTrial& trial) { return trial.folder + "/results.ndjson"; }

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
    RunProgram(CommandOf(trial), output);
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

int List(const std::vector<InstalledMutant>& mutants) {
  for (const InstalledMutant& mutant : mutants) {
    const std::string killers = fmt::format("{}", fmt::join(mutant.clauses, " "));
    fmt::print("{:5} {:21} {}\n", mutant.id, mutant.benign ? "must pass" : killers, mutant.title);
  }
  return 0;
}

void RequireBuilt(const std::vector<Suspect>& suspects) {
  for (const Suspect& suspect : suspects) {
    if (std::filesystem::exists(suspect.plugin)) continue;
    throw UsageError(
        fmt::format("{}: expected the plugin {}, which is not built; `scripts/run mutants` builds all of them",
                    suspect.mutant.id, suspect.plugin));
  }
}

/// Every suspect under every seed. A fault that must be found is sought in the default tier, and found soon.
std::vector<MutantTrial> TrialsOf(const std::vector<Suspect>& suspects, const MutantsOptions& options, uint64_t seeds,
                                  const std::string& out) {
  const uint64_t first = WholeNumber("--first-seed", options.first_seed, 0, 1'000'000);
  std::vector<MutantTrial> trials;
  for (const Suspect& suspect : suspects) {
    const bool by_tier = suspect.mutant.benign || options.all_clauses();
    for (uint64_t seed = first; seed < first + seeds; ++seed) {
      trials.push_back({suspect, by_tier ? options.tier : "default", options.ranks, seed,
                        fmt::format("{}/{}-seed-{}", out, suspect.mutant.id, seed)});
    }
  }
  return trials;
}

std::vector<LoggedMutant> LoggedIn(const std::vector<MutantTrial>& trials) {
  std::vector<LoggedMutant> logged;
  for (const MutantTrial& trial : trials) {
    const InstalledMutant& mutant = trial.suspect.mutant;
    if (logged.empty() || logged.back().mutant.id != mutant.id) logged.push_back({mutant, {}});
    logged.back().logs.push_back(LogOf(trial));
  }
  return logged;
}

void Record(const std::vector<MutantTrial>& trials, const MutantsOptions& options) {
  const std::string& path = options.record;
  const KnownFaults known{
      .suite = ZEROCTS_VERSION,
      .recorded = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
      .command = fmt::format("zerocts mutants --record FILE --tier {} --seeds {}{}{}", options.tier, options.seeds,
                             options.ranks.empty() ? "" : " --ranks ", options.ranks),
      .faults = Renewed(LoadKnownFaults(path), FaultsIn(LoggedIn(trials)), InstalledMutants())};
  WriteFile(path, KnownFaultsText(known));
  fmt::print("known faults: {} in {}\n", known.faults.size(), path);
}

void SayRecognition(const std::vector<MutantTrial>& trials) {
  const auto known = LoadKnownFaults(InstalledPath("share/zerocts/known_faults.json"));
  fmt::print("{}", RecognitionText(Recognized(LoggedIn(trials), known)));
}

int Mutants(const MutantsOptions& options) {
  if (options.list) return List(Selected(Words(options.ids)));
  const uint64_t seeds = WholeNumber("--seeds", options.seeds, 1, 1000);
  const uint64_t jobs = WholeNumber("--jobs", options.jobs, 1, 256);
  TierFromString(options.tier);
  const std::vector<Suspect> suspects = SuspectsOf(Selected(Words(options.ids)), options.all_clauses());
  RequireBuilt(suspects);
  const std::string out = WritableFolder(options.out);
  const std::vector<MutantTrial> trials = TrialsOf(suspects, options, seeds, out);
  const std::vector<RunEvidence> evidence = TryAll(trials, jobs, options.resume);
  if (!options.record.empty()) Record(trials, options);
  if (options.diagnose) SayRecognition(trials);

  std::vector<MutantVerdict> verdicts;
  for (size_t i = 0; i < suspects.size(); ++i) {
    const auto first = evidence.begin() + i * seeds;
    verdicts.push_back(VerdictOf(suspects[i].mutant, {first, first + seeds}));
  }
  std::vector<std::string> clauses;
  for (const Clause& clause : AllClauses()) clauses.push_back(clause.id);
  if (options.matrix) fmt::print("{}\n", MatrixOf(verdicts, clauses));
  fmt::print("{}results: {}\n", TableOf(verdicts), out);
  return ExitCodeOf(verdicts);
}

}  // namespace

void AddMutantsCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<MutantsOptions>();
  CLI::App* command = program.add_subcommand(
      "mutants", "Judge the suite: every known fault must be found, every benign variant must pass");
  command->add_option("ID", options->ids, "Mutants, such as M20, or benign variants, such as B01; default: all");
  command->add_flag("--list", options->list,
                    "Only say which there are, what each does wrong and which clauses must find it");
  command->add_option("--seeds", options->seeds, "Under how many seeds each is judged")->capture_default_str();
  command->add_option("--jobs", options->jobs, "How many are judged at once")->capture_default_str();
  command->add_option("--first-seed", options->first_seed, "The others follow it")->capture_default_str();
  command->add_option("--ranks", options->ranks, "World sizes of each check (default: all)");
  command
      ->add_option("--tier", options->tier,
                   "smoke, default or full: cases of what has no fault and must pass; with --matrix, --record or "
                   "--diagnose of everything")
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder for the results of each run")->capture_default_str();
  command->add_flag("--matrix", options->matrix,
                    "Check every mutant against all clauses and show which of them complain");
  command->add_option("--record", options->record,
                      "Likewise, and renew what each looks like in this file (conformance/contract/known_faults.json)");
  command->add_flag("--diagnose", options->diagnose,
                    "Likewise, and say how often the diagnosis of a run names its fault, or, where that is left out of "
                    "what is known, one of the same clause");
  command->add_flag("--resume", options->resume, "Keep the results that are in --out already");
  command->callback([options, &exit_code] { exit_code = Mutants(*options); });
}

}  // namespace zerocts
