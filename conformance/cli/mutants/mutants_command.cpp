// zerocts mutants: does the suite see the faults that it was built for, and nothing where there is none? Each known
// fault is judged by a plain `zerocts check` of its own, under several seeds.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <system_error>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/mutants/mutant_diagnosis.hpp"
#include "conformance/cli/mutants/mutant_trials.hpp"
#include "conformance/cli/mutants/mutant_verdict.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"

namespace zerocts {
namespace {

struct MutantsOptions {
  std::vector<std::string> ids;
  std::string seeds = "5", first_seed = "1", jobs = "1", tier = "default", out = "zerocts-results/mutants";
  std::string ranks, record, logs;
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
  const uint64_t first = SeedFrom("--first-seed", options.first_seed, 1'000'000);
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

/// The mutants of the trials that left a log, each with its logs.
std::vector<LoggedMutant> LoggedIn(const std::vector<MutantTrial>& trials) {
  std::vector<LoggedMutant> logged;
  for (const MutantTrial& trial : trials) {
    const InstalledMutant& mutant = trial.suspect.mutant;
    if (!std::filesystem::exists(LogOf(trial))) continue;
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

[[noreturn]] void ThrowNoLogsIn(const std::string& folder) {
  throw UsageError(fmt::format(
      "--logs: expected a folder with logs of these mutants and seeds, such as M20-seed-1/results.ndjson, got '{}'; "
      "zerocts mutants --diagnose leaves them in --out",
      folder));
}

/// What can be wrong without any mutant.
void RequireUseOfLogs(const MutantsOptions& options) {
  if (options.logs.empty()) return;
  if (options.record.empty() && !options.diagnose) throw UsageError("--logs: expected --diagnose or --record as well");
  if (!std::filesystem::is_directory(options.logs)) ThrowNoLogsIn(options.logs);
}

/// What --record and --diagnose make of logs, of any program.
int ReadLogs(const std::vector<Suspect>& suspects, const MutantsOptions& options, uint64_t seeds) {
  const std::vector<MutantTrial> trials = TrialsOf(suspects, options, seeds, options.logs);
  if (LoggedIn(trials).empty()) ThrowNoLogsIn(options.logs);
  if (!options.record.empty()) Record(trials, options);
  if (options.diagnose) SayRecognition(trials);
  return 0;
}

int Mutants(const MutantsOptions& options) {
  if (options.list) return List(Selected(Words(options.ids)));
  const uint64_t seeds = WholeNumber("--seeds", options.seeds, 1, 1000);
  const uint64_t jobs = WholeNumber("--jobs", options.jobs, 1, 256);
  RequireUseOfLogs(options);
  const std::vector<Suspect> suspects = SuspectsOf(Selected(Words(options.ids)), options.all_clauses());
  if (!options.logs.empty()) return ReadLogs(suspects, options, seeds);
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
  command->add_option("--first-seed", options->first_seed, "A number, or random; the others follow it")
      ->capture_default_str();
  command->add_option("--ranks", options->ranks, "World sizes of each check (default: all)");
  command
      ->add_option("--tier", options->tier,
                   "smoke, default or full: cases of what has no fault and must pass; with --matrix, --record or "
                   "--diagnose of everything")
      ->capture_default_str();
  command->add_option("--out", options->out, "Folder for the results of each run")->capture_default_str();
  command->add_flag("--matrix", options->matrix,
                    "Check every mutant against all clauses and show which of them complain");
  command->add_option(
      "--record", options->record,
      "As --matrix, and renew what each looks like in this file (conformance/contract/known_faults.json)");
  command->add_flag(
      "--diagnose", options->diagnose,
      "As --matrix, and say how often the diagnosis of a run names its fault, or, where that is left out of "
      "what is known, one of the same clause");
  command->add_option("--logs", options->logs,
                      "Judge nothing: let --diagnose and --record read what an earlier call left in this folder");
  command->add_flag("--resume", options->resume, "Keep the results that are in --out already");
  command->callback([options, &exit_code] { exit_code = Mutants(*options); });
}

}  // namespace zerocts
