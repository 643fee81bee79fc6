// zerocts watch -- COMMAND: runs a training script as it is, and judges what its ranks do.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/programs.hpp"
#include "conformance/watch/collector.hpp"
#include "conformance/watch/earlier_run.hpp"
#include "conformance/watch/judged_run.hpp"
#include "conformance/watch/record_file.hpp"
#include "conformance/watch/watched_command.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

constexpr int kJudgesNiceness = 10;  // its cores are the ranks'

struct WatchOptions {
  std::vector<std::string> command;
  std::string out = "zerocts-results/watch";
  int64_t every = 0, keep_mb = 200;  // every: 0: as the budget says
  bool fail = false;
  watch::JudgeSettings judge;
};

void Say(const std::string& line) { SayError(0, line); }

std::string Records(const std::string& out) { return (fs::path(out) / "records").string(); }

void RequireCommand(const std::vector<std::string>& command) {
  if (command.empty())
    throw UsageError("expected a command behind --, got none: zerocts watch -- torchrun --nproc-per-node 2 train.py");
  const std::string& program = command.front();
  const bool has_path = program.find('/') != std::string::npos;
  if (has_path ? access(program.c_str(), X_OK) != 0 : !IsOnPath(program))
    throw UsageError(fmt::format("expected a program that can be run behind --, got '{}'{}", program,
                                 has_path ? "" : ", which is in no folder of PATH"));
}

/// The folder, made where it is not; the records of an earlier run in it stay as records.previous.
void PrepareFolder(const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error || access(out.c_str(), W_OK | X_OK) != 0)
    throw UsageError(fmt::format("--out: expected a folder that can be written, got {}: {}", out,
                                 error ? error.message() : "permission denied"));
  if (fs::exists(Records(out))) fs::rename(Records(out), Records(out) + ".previous");
}

/// The process of the judge.
int Judge(const WatchOptions& options, watch::Collector& collector, int done) {
  static_cast<void>(nice(kJudgesNiceness));
  watch::JudgeSettings settings = options.judge;
  if (options.every == 0) {
    settings.set_every = [&](int64_t every, int64_t from) {
      collector.Tell(fmt::format("{{\"every\": {}, \"from\": {}}}\n", every, from));
    };
  }
  watch::JudgedRun judged(settings, Say);
  watch::RememberRun(Records(options.out) + ".previous", judged.run());
  watch::RecordFile file(Records(options.out), options.keep_mb << 20);
  collector.Run(
      done,
      [&](const watch::Record& record, std::string_view bytes) {
        file.Append(record, bytes);
        judged.Take(record);
      },
      [](const std::string& why) { Say("the records of a rank are not taken any more: " + why); });
  file.Close(judged.run().is_uneven());
  judged.Finish();
  for (const std::string& line : judged.Summary()) Say(line);
  const std::string what = file.problem().empty() ? file.written().WhatIsLeftOut() : file.problem();
  if (!what.empty()) Say(what);
  judged.WriteLog((fs::path(options.out) / "results.ndjson").string(), options.command);
  Say(fmt::format("zerocts report {}  shows it again", options.out));
  return judged.exit_code();
}

int GuardedJudge(const WatchOptions& options, watch::Collector& collector, int done) {
  try {
    return Judge(options, collector, done);
  } catch (const std::exception& error) {
    Say(fmt::format("the judge ended: {}; training goes on", error.what()));
    return kExitHarnessError;
  }
}

/// What starts the witness in every Python below.
std::vector<std::pair<std::string, std::string>> Environment(const WatchOptions& options, const std::string& socket) {
  const std::string inject = InstalledPath("share/zerocts/adapters/zerocts_watch/inject");
  if (!fs::exists(inject)) throw HarnessError(fmt::format("expected the witness in {}, which is not there", inject));
  const char* path = std::getenv("PYTHONPATH");
  return {{"PYTHONPATH", path && *path ? inject + ":" + path : inject},
          {"_ZEROCTS_WATCH_SOCKET", socket},
          {"_ZEROCTS_WATCH_EVERY", std::to_string(std::max(int64_t{1}, options.every))}};
}

watch::EndedRun RunBesideJudge(const WatchOptions& options) {
  watch::Collector collector;
  return watch::RunWatched(
      options.command, Environment(options, collector.path()),
      [&](int done) { return GuardedJudge(options, collector, done); }, [&] { collector.LeaveToOther(); });
}

int Watch(const WatchOptions& options) {
  RequireCommand(options.command);
  watch::RequireLiveClauses(options.judge.allowed);
  PrepareFolder(options.out);
  const watch::EndedRun run = RunBesideJudge(options);
  if (run.judge == kExitHarnessError) Say("the judge did not come to its end: the records in --out end where it did");
  if (options.fail && run.command.exit_code == 0) return run.judge;
  return watch::EndLike(run.command);
}

int JudgeAgain(const std::string& records, const watch::JudgeSettings& settings) {
  watch::RequireLiveClauses(settings.allowed);
  watch::JudgedRun judged(settings, [](const std::string&) {});
  const std::string file = fs::is_directory(records) ? Records(records) : records;
  const watch::WrittenRun run = watch::ReadRecords(file, [&](const watch::Record& record) { judged.Take(record); });
  if (run.is_uneven) judged.run().SetUneven();
  judged.Finish();
  for (const std::string& line : judged.Summary()) fmt::print("{}\n", line);
  if (const std::string what = run.WhatIsLeftOut(); !what.empty()) fmt::print("{}\n", what);
  return judged.exit_code();
}

void AddJudgeOptions(CLI::App& command, watch::JudgeSettings& settings) {
  command.add_flag("--strict", settings.strict, "Notices are alarms");
  command.add_option("--allow", settings.allowed, "A live clause that is not judged; may be given several times")
      ->allow_extra_args(false);
}

void AddJudgeCommand(CLI::App& parent, int& exit_code) {
  struct Options {
    std::string records;
    watch::JudgeSettings settings;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("judge", "Judge the records of a watched run again; exit code 0, 1 or 6");
  command->add_option("RECORDS", options->records, "The folder of --out, or the file records in it")->required();
  AddJudgeOptions(*command, options->settings);
  command->callback([options, &exit_code] { exit_code = JudgeAgain(options->records, options->settings); });
}

}  // namespace

void AddWatchCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command = program.add_subcommand("watch",
                                             "Run a training script as it is and judge what its ranks do: zerocts "
                                             "watch [options] -- COMMAND; the exit code is "
                                             "the command's own");
  command->add_option("COMMAND", options->command, "Behind --: the command as it would be typed without zerocts");
  command->add_option("--out", options->out, "The folder of records and results")->capture_default_str();
  command
      ->add_option("--every", options->every,
                   "Look at one step in N, and at one collective in N; default: as often as 4 % of the CPU time allow")
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--keep", options->keep_mb,
                   "Megabytes of records that are kept; beyond them, of fewer and fewer steps")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command->add_flag("--fail", options->fail,
                    "Where the command succeeds: exit code 1 after an alarm, 6 where nothing was judged");
  AddJudgeOptions(*command, options->judge);
  AddReportCommand(*command, exit_code);
  AddJudgeCommand(*command, exit_code);
  AddWatchPrepareCommand(*command, exit_code);
  command->callback([command, options, &exit_code] {
    if (command->get_subcommands().empty()) exit_code = Watch(*options);
  });
}

}  // namespace zerocts
