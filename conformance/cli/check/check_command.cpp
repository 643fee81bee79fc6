// zerocts check: judges a subject and says so on the terminal, in results.ndjson, junit.xml and
// report.html, and with the exit code.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "conformance/cases/draws/model_shapes.hpp"
#include "conformance/cli/check/constraints_of_run.hpp"
#include "conformance/cli/check/judged_part.hpp"
#include "conformance/cli/check/plain_run.hpp"
#include "conformance/cli/check/preflight.hpp"
#include "conformance/cli/check/results_folder.hpp"
#include "conformance/cli/check/selectors.hpp"
#include "conformance/cli/check/subject_options.hpp"
#include "conformance/cli/check/tiers.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/environment.hpp"
#include "conformance/cli/help_groups.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/mesh_option.hpp"
#include "conformance/cli/option_values.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/judge.hpp"
#include "conformance/host/conductor/fork_servers.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/plans/models.hpp"
#include "conformance/report/ci/junit.hpp"
#include "conformance/report/html/run_html.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/report/terminal/table.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/expectations/fix_expectations.hpp"
#include "conformance/session/run/check_clause.hpp"
#include "conformance/session/run/group_records.hpp"

namespace zerocts {
namespace {

constexpr int kMostHangs = 3;

struct CheckOptions {
  std::vector<std::string> selectors;
  SubjectOptions subject;
  std::string shard, launchers, ranks, mesh, precisions, cases, time_budget, jobs, out, corpus;
  ConstraintTexts constraints;
  std::string shapes;
  std::optional<ModelShapes> model;   // of --shapes
  std::optional<FilePlan> plan_file;  // of --plan file:PATH
  std::string seed = "1", tier = "default";
  std::string expectations, required;
  bool no_shrink = false, fail_fast = false, no_stop = false, fix_expectations = false, verbose = false;
};

void AddOptions(CLI::App& command, CheckOptions& options) {
  command.add_option("CLAUSE|FAMILY", options.selectors, "Clauses or families to check; default: all");
  AddSubjectOptions(command, options.subject);
  command.add_option(
      "--launcher", options.launchers,
      fmt::format("How ranks start: {}; default: by subject, see conformance/guide/commands.md", LauncherSummaries()));
  command.add_option("--ranks", options.ranks, "World sizes (default: 1,2,3,4, as far as the subject declares them)");
  command.add_option("--precision", options.precisions, "fp32, bf16 (default: both)");
  AddConstraintOptions(command, options.constraints);
  AddMeshOption(command, options.mesh);
  command.add_option(
      "--shapes", options.shapes,
      "Train tensors with the names and shapes of a model, sizes scaled by the ranks: " + ModelChoices());
  command.add_option("--shard", options.shard,
                     "I/N: job I of N; tests every Nth clause, starting at the Ith (scripts/ci/README.md)");
  command
      .add_option(
          "--seed", options.seed,
          "Seed of all random choices; random: a new one, which the report names. After a comma, with --require, "
          "the second seed, which else is random")
      ->capture_default_str();
  command.add_option("--cases", options.cases, "Cases per clause (default: by tier)");
  command.add_option("--time-budget", options.time_budget,
                     "Time limit for all clauses together: 90s, 10m, 2h; an unfinished clause counts as too few");
  command.add_option("--jobs", options.jobs,
                     "World sizes tested in parallel (default: number of cores; 1 with --device)");
  command
      .add_option(
          "--tier", options.tier,
          "smoke, default or full: 8, 100 or 2000 cases per clause, at least one in each configuration; smoke has "
          "small tensors")
      ->capture_default_str();
  command.add_option("--out", options.out, "Folder for results (default: zerocts-results/SUBJECT-seed-N)");
  command.add_option("--corpus", options.corpus,
                     "Folder of saved cases that run first (default: those that come with zerocts)");
  command.add_option(
      "--expect", options.expectations,
      "File of known failures, or a framework whose known failures to excuse (default: the framework's own)");
  command.add_option(
      "--require", options.required,
      "Profiles of `zerocts list --profiles`; exit code 1 unless each is reached in full. Their clauses are "
      "judged by as many cases again, of a second seed");
  command.add_flag("--fix-expectations", options.fix_expectations,
                   "Rewrite the file of --expect from the results of this run");
  command.add_flag("--verbose", options.verbose, "Show every clause, every failure, and full lists");
  command.add_flag("--no-shrink", options.no_shrink, "Do not shrink failing cases");
  command.add_flag("--fail-fast", options.fail_fast,
                   "Stop a clause at its first failure: its other world sizes and precisions are not judged");
  command.add_flag("--no-stop", options.no_stop, "Go on after three cases in a row that hang at one place");
  PutUnder(kWhatIsJudged, command, {"--launcher", "--ranks", "--mesh", "--precision", "--require", "--expect"});
  PutUnder(kWhichCases, command,
           {"--seed", "--tier", "--cases", "--shard", "--corpus", "--no-shrink", "--fail-fast", "--no-stop"});
  for (const auto& [option, text] : options.constraints) PutUnder(kWhichCases, command, {"--" + option});
  PutUnder(kWhichCases, command, {"--shapes"});
  PutUnder(kOutput, command, {"--out", "--verbose", "--fix-expectations"});
  PutUnder(kDeadlines, command, {"--time-budget", "--jobs"});
}

std::vector<Precision> Precisions(const std::string& text) {
  std::vector<Precision> precisions;
  for (const std::string& word : Words(text)) precisions.push_back(PrecisionFromString(word));
  return precisions;
}

/// It has known failures, and no file is called so.
bool IsNamedFramework(const std::string& name) {
  return IsFramework(name) && !DefaultExpectations(name).empty() && !std::filesystem::exists(name);
}

/// `partial`: of all that the subject declares.
void RequireFixable(const CheckOptions& options, const std::string& partial) {
  if (!options.fix_expectations) return;
  if (options.fail_fast)
    throw UsageError("--fix-expectations: expected a run over everything, got --fail-fast; leave it out");
  if (options.expectations.empty() || IsNamedFramework(options.expectations))
    throw UsageError(fmt::format("--fix-expectations: expected --expect FILE with the file to rewrite, got {}",
                                 options.expectations.empty() ? "none" : options.expectations));
  if (partial.empty()) return;
  throw UsageError(fmt::format(
      "--fix-expectations: expected a run over everything, got {}; leave out the options that say so", partial));
}

/// "torch-fsdp2" of --expect torch-fsdp2, where the subject is another.
std::string ExpectedAs(const CheckOptions& options) {
  const std::string& name = options.expectations;
  return name != options.subject.subject && IsNamedFramework(name) ? name : "";
}

/// A file that is to be written may not be there yet.
std::string ExpectationsOf(const CheckOptions& options) {
  if (options.expectations.empty()) return DefaultExpectations(options.subject.subject);
  if (IsNamedFramework(options.expectations)) return DefaultExpectations(options.expectations);
  const bool to_be_made = options.fix_expectations && !std::filesystem::exists(options.expectations);
  return to_be_made ? "" : options.expectations;
}

SubjectInfo AskedBy(const SessionSettings& settings) {
  const LauncherKind launcher = settings.launchers.front();
  if (launcher != LauncherKind::kCommand) return AskSubject(settings.subject, settings.host);
  return AskSubject(settings.subject, settings.host, launcher,
                    settings.subject.StartsAllRanks() ? 1 : settings.world_sizes.front());
}

/// Ranks on GPUs have those of the largest world size, not more.
int DefaultJobs(const SubjectSpec& subject) {
  return subject.choice.device.empty() ? static_cast<int>(std::max(1u, std::thread::hardware_concurrency())) : 1;
}

/// A subject may be right for the cases of one known seed. What is required is judged by a second one, a new one unless
/// it is named.
void ReadSeeds(const CheckOptions& options, SessionSettings& settings) {
  std::vector<std::string> seeds = Words(options.seed);
  const size_t most = settings.required.empty() ? 1 : 2;
  if (seeds.empty() || seeds.size() > most)
    throw UsageError(fmt::format("--seed: expected {}, got '{}'",
                                 most == 1 ? "one seed (a second one belongs to --require)" : "one seed or two",
                                 options.seed));
  settings.seed = SeedFrom("--seed", seeds.front());
  if (most == 1) return;
  settings.second_seed = SeedFrom("--seed", seeds.size() == 2 ? seeds.back() : "random");
  if (settings.second_seed == settings.seed)
    throw UsageError(fmt::format("--seed: expected two different seeds, got {} twice", settings.seed));
}

/// What the words of the command line say by themselves.
SessionSettings ReadValues(const CheckOptions& options) {
  SessionSettings settings;
  settings.host = DeadlinesOf(options.subject);
  if (!options.ranks.empty()) settings.world_sizes = NumberList("--ranks", options.ranks, 1, 1 << 20);
  if (!options.precisions.empty()) settings.precisions = Precisions(options.precisions);
  settings.tier = TierFromString(options.tier);
  settings.cases_per_clause = options.cases.empty()
                                  ? CasesOfTier(settings.tier)
                                  : static_cast<int>(WholeNumber("--cases", options.cases, 1, 1'000'000));
  settings.largest_size = LargestSizeOfTier(settings.tier);
  settings.required = SelectProfiles(Words(options.required), AllProfiles());
  ReadSeeds(options, settings);
  if (!options.time_budget.empty()) settings.time_budget = DurationWithUnit("--time-budget", options.time_budget);
  settings.jobs = options.jobs.empty() ? 0 : static_cast<int>(WholeNumber("--jobs", options.jobs, 1, 256));
  SettingsOf(options.subject);
  return settings;
}

/// Everything that needs no rank.
SessionSettings SettingsOf(const CheckOptions& options, HostSettings host, const std::vector<std::string>& arguments) {
  SessionSettings settings = ReadValues(options);
  settings.host = std::move(host);
  settings.launchers = Launchers(options.launchers);
  settings.subject = SpecOf(options.subject);
  if (settings.launchers.empty()) settings.launchers = DefaultLaunchers(settings.subject);
  RequireMemory(settings.world_sizes, settings.launchers);
  UseGpusOfCtest(settings.subject, settings.world_sizes);
  RequireStart(settings.subject, settings.launchers, options.ranks.empty() ? std::vector<int>{} : settings.world_sizes);
  settings.info.name = settings.subject.text;
  settings.expectations = ExpectationsOf(options);
  settings.expected_as = ExpectedAs(options);
  settings.known_failures = InstalledPath("share/zerocts/adapters/expectations");
  settings.out_dir = options.out.empty() ? DefaultFolder(settings.subject, settings.seed) : options.out;
  settings.corpus_dir = CorpusFolder(options.corpus);
  settings.known_faults = InstalledPath("share/zerocts/known_faults.json");
  settings.shrink = !options.no_shrink;
  settings.fail_fast = options.fail_fast;
  settings.most_hangs = options.no_stop ? 0 : kMostHangs;
  if (settings.jobs == 0) settings.jobs = DefaultJobs(settings.subject);
  settings.argv = arguments;
  return settings;
}

/// What the subject says of itself, and whether it can have what is asked for. Throws StartEnded when its ranks do not
/// come up.
void AddSubject(const CheckOptions& options, const std::vector<Clause>& clauses, ForkServers& servers,
                SessionSettings& settings) {
  if (settings.launchers == std::vector{LauncherKind::kLocal}) settings.subject = servers.Serving(settings.subject);
  settings.info = AskedBy(settings);
  if (options.ranks.empty()) settings.world_sizes = DefaultWorldSizes(settings.info.capabilities);
  RequireReach(settings.info, settings.world_sizes, settings.launchers);
  if (StartsOneWorldSize(settings.subject, settings.launchers))
    settings.info.capabilities.min_world_size = settings.info.capabilities.max_world_size =
        settings.world_sizes.front();
  settings.constraints = ConstraintsOf(options.constraints, settings);
  if (options.plan_file) settings.constraints.push_back(ConstraintOfFile(*options.plan_file, settings));
  if (options.model) settings.constraints.push_back(ConstraintOfShapes(*options.model, settings));
  RequireCases(clauses, settings);
  settings.partial = JudgedPart(settings, clauses.size());
  for (const Clause& clause : clauses) settings.clauses.push_back(clause.id);
  settings.complete = settings.partial.empty() && options.launchers.empty();
  RequireFixable(options, settings.partial);
  RequireOptions(settings);
}

std::string Today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string LogIn(const std::string& out_dir) { return out_dir + "/results.ndjson"; }

/// Prints the report, on a terminal in few lines, and gives the exit code that the log bears out.
int ReportOf(const RunView& run, const std::string& out_dir, Detail detail) {
  const std::string log = LogIn(out_dir), junit = out_dir + "/junit.xml", page = out_dir + "/report.html";
  WriteResult(junit, JUnitOf(run));
  WriteResult(page, HtmlOf(run));
  const std::string files = fmt::format("results: {}\njunit:   {}\npage:    {}\n", log, junit, page);
  const bool color = StandardOutputHasColor(), glance = StandardOutputIsTerminal() && detail == Detail::kSummary;
  fmt::print("{}",
             glance ? GlanceOf(run, color, fmt::format("page: {} ({}; --verbose shows all here)\n", page, run.seeds()))
                    : TableOf(run, color, detail, files));
  return run.exit_code();
}

bool CameToAJudgement(int exit_code) {
  return exit_code != kExitHarnessError && exit_code != kExitTooFew && exit_code != kExitNothingApplicable &&
         exit_code != kExitInterrupted;
}

/// By a run that came to a judgement; says what changed. The exit code stays that of the old file.
void Rewrite(const SessionSettings& settings, const std::string& path, int exit_code) {
  if (!CameToAJudgement(exit_code)) {
    fmt::print("expectations: {} is not rewritten: this run came to no judgement\n", path);
    return;
  }
  ExpectationsFile old{.path = path, .subject = settings.info.name, .entries = {}};
  if (!settings.expectations.empty()) old = LoadExpectations(path);
  const LoggedRecords log = ReadEventLog(LogIn(settings.out_dir));
  const FixedExpectations fixed = FixExpectations(old, log.records, Today());
  SaveExpectations(fixed.file);
  fmt::print(
      "expectations: {} is rewritten: {} kept, {} removed, {} added; name their upstream issues, then check again\n",
      path, fixed.kept, fixed.removed, fixed.added);
}

/// The verdict and its reports of a subject whose ranks did not start, so that none of the clauses can run.
int ReportStartEnded(SessionSettings settings, const std::vector<Clause>& clauses, Detail detail,
                     const StartEnded& ended) {
  SayError(kExitCrashOrHang, ended.what());
  settings.expectations.clear();
  Session session(settings);
  FinishWithoutRanks(session, clauses, ended.end);
  return ReportOf(ViewOfLog(LogIn(settings.out_dir)), settings.out_dir, detail);
}

CheckOptions WithMesh(CheckOptions options) {
  if (options.mesh.empty()) return options;
  const MeshTexts mesh = ReadMesh(options.mesh, options.ranks);
  options.ranks = mesh.ranks;
  options.constraints["replicas"] = mesh.replicas;
  options.constraints["tensor"] = mesh.tensor;
  return options;
}

/// With what the files of --plan and --shapes hold; a plan file says how many ranks there are.
CheckOptions WithFiles(CheckOptions options) {
  options.plan_file = TakePlanFile(options.constraints);
  if (options.plan_file) options.ranks = RanksThrough(*options.plan_file, options.ranks);
  if (!options.shapes.empty()) options.model = TakeShapes(options.shapes, options.plan_file);
  return options;
}

std::vector<Clause> ClausesOf(const CheckOptions& options) {
  std::vector<Clause> selected = SelectClauses(Words(options.selectors), AllClauses(), OptionsByValue("check"));
  return options.shard.empty() ? selected : OfShard(options.shard, selected);
}

void CheckAll(const std::vector<Clause>& clauses, Session& session) {
  for (const Clause& clause : clauses) {
    const ClauseCheck& check = FindClauseCheck(clause.id);
    CheckClause(session, check.space(), check.judge);
  }
}

int Check(const CheckOptions& given, const std::vector<std::string>& arguments) {
  const CheckOptions options = WithFiles(WithMesh(given));
  const std::vector<Clause> clauses = ClausesOf(options);
  const SessionFolder folder;
  const HostSettings host = HostSettingsOf(options.subject, folder);
  ForkServers servers(host);
  SessionSettings settings = SettingsOf(options, host, arguments);
  const Detail detail = options.verbose ? Detail::kAll : Detail::kSummary;
  const NotedInterrupts interrupts;
  try {
    AddSubject(options, clauses, servers, settings);
  } catch (const StartEnded& ended) {
    return ReportStartEnded(settings, clauses, detail, ended);
  }
  Session session(settings);
  CheckAll(clauses, session);
  session.Finish();
  const RunView run = ViewOfLog(LogIn(settings.out_dir));
  if (options.fix_expectations) Rewrite(settings, options.expectations, run.exit_code());
  return ReportOf(run, settings.out_dir, detail);
}

}  // namespace

void AddCheckCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      program.add_subcommand("check", "Test a subject: run the cases of each clause and compare with the reference");
  AddOptions(*command, *options);
  command->parse_complete_callback([command, options] {  // before any command does something, also with --dry-run
    if (!command->remaining(true).empty()) return;       // of which the program complains
    ClausesOf(*options);
    ReadValues(WithMesh(*options));
  });
  command->callback([options, &exit_code] { exit_code = Check(*options, ProcessArguments()); });
}

}  // namespace zerocts
