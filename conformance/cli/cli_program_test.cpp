// Runs zerocts as a user does: the good commands work, and verdicts, reports and exit codes agree.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "conformance/cli/program_for_test.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

TEST_F(Program, GoodCommandsSucceed) {
  const std::pair<const char*, const char*> table[] = {
      {"--help", "check"},
      {"--version", "zerocts "},
      {"help", "check"},
      {"version", "zerocts "},
      {"help run", "Train a model on a text"},
      {"bench", "Usage: zerocts bench [OPTIONS]"},
      {"--dry-run check --ranks 2-4", "2-4"},
      {"check --help", "--time-budget"},
      {"check --help", "\nWhat is judged:\n"},
      {"check --help", "\nWhich cases:\n"},
      {"check --help", "\nOutput:\n"},
      {"check --help", "\nDeadlines and speed:\n"},
      {"run --help", "\nWhat is trained:\n"},
      {"run --help", "GPT: blocks; default: 2 (tiny), 6 (small), 12 (gpt2-124m)"},
      {"subjects native", "\n  its options (--option KEY=VALUE):\n    comm=auto|threads|shm|"},
      {"subjects native", "\n    sim_capacity_bytes=N\n"},
      {"subjects native", "\n    --strategy NoShard ShardGradOp FullShard HybridShard\n"},
      {"subjects minimal",
       "\n    none that it lists; it says: rank 0 refused open: UNIMPLEMENTED: not declared: the option\n    "
       "which=?\n"},
      {"list", "C-ZERO-001"},
      {"list ownership", "shard coverage"},
      {"list --profiles", "zero-2"},
      {"explain C-ZERO-001", "How it is checked"},
      {"explain C-ZERO-001", "\n  conformance/contract/ownership/shard_coverage.cpp\n"},
      {"explain reduction", "\nC-ZERO-010 declared mean is exact\n"},
      {"explain large_state", "\n  C-ZERO-007 state really partitioned\n"},
      {"explain zero-2", "\n  C-ZERO-011 reduction completeness\n"},
      {"explain checkpoint", "\nProfile checkpoint\n"},
      {"explain c_zero_001", "https://"},
      {"subjects", "native"},
      {"subjects minimal", "minimal "},
  };
  for (const auto& [arguments, phrase] : table) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.exit_code, 0) << arguments << "\n" << ended.err;
    EXPECT_EQ(ended.err, "") << arguments;
    EXPECT_NE(ended.out.find(phrase), std::string::npos) << arguments << "\n" << ended.out;
  }
}

TEST_F(Program, HelpListsEveryExitCode) {
  const Ended ended = Run("--help");
  EXPECT_NE(ended.out.find("Exit codes:"), std::string::npos) << ended.out;
  for (const ExitCodeMeaning& entry : kExitCodes) {
    const std::string line = fmt::format("  {:<28}{}: {}\n", static_cast<int>(entry.code), entry.name, entry.meaning);
    EXPECT_NE(ended.out.find(line), std::string::npos) << line << ended.out;
  }
}

/// Whatever reads the log again comes to the verdict of the run.
void ExpectAgreeingReports(const Ended& run, const Ended& report, const std::string& verdict) {
  EXPECT_NE(run.out.find(verdict), std::string::npos) << run.out << run.err;
  EXPECT_NE(report.out.find(verdict), std::string::npos) << report.out;
}

TEST_F(Program, JudgesWhatIsUsed) {
  const std::string check = "check C-ZERO-050 --subject native --launcher threads --ranks 2 --cases 4 --out run ";
  const Ended ended = Run(check + "C-ZERO-010 --strategy FullShard --offload full --optimizer sgd");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  ExpectAgreeingReports(ended, Run("report run"),
                        "strategy FullShard only, optimizer sgd only, offload full only (exit code 0)");
  const Ended one_left = Run(check + "C-ZERO-055 --optimizer adamw");
  EXPECT_EQ(one_left.exit_code, 0) << one_left.out << one_left.err;
  EXPECT_NE(one_left.out.find("Left out by options of this run: --optimizer adamw (C-ZERO-055"), std::string::npos)
      << one_left.out;
  EXPECT_EQ(one_left.out.find("not applicable"), std::string::npos) << one_left.out;
}

TEST_F(Program, JudgesAMeshAndTheShapesOfAModel) {
  const Ended ended =
      Run("check C-ZERO-010 C-ZERO-016 --launcher threads --precision fp32 --mesh replicate=2,shard=3 --shapes "
          "mixtral-8x7b "
          "--cases 8 --out run");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  ExpectAgreeingReports(
      ended, Run("report run"),
      "world size 6 only, tensor 1 only, replicas 2 only, shapes of mixtral-8x7b (29 of 995 tensors, sizes scaled by "
      "the ranks), precision fp32 only (exit code 0)");
}

TEST_F(Program, JudgesWithoutWhatIsTakenAway) {
  const Ended ended =
      Run("check C-ZERO-010 --launcher threads --ranks 2 --cases 8 --precision fp32 --out run --without "
          "stage=3,stage=2,optimizer=adamw");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("without optimizer=adamw, stage=2, stage=3"), std::string::npos) << ended.out;
  const std::string log = Contents(folder() / "run/results.ndjson");
  EXPECT_NE(log.find("\"stage1\":"), std::string::npos) << log;
  EXPECT_EQ(log.find("\"stage3\":"), std::string::npos) << log;
}

TEST_F(Program, RequiresProfilesInFull) {
  const std::string check = "check C-ZERO-081 --launcher threads --ranks 1,2 --cases 40 --precision fp32 --out run ";
  const size_t clauses = Count(Run("list").out, "\nC-ZERO-");
  const Ended reached = Run(check + "--require reshard");
  EXPECT_EQ(reached.exit_code, 0) << reached.out << reached.err;
  ExpectAgreeingReports(
      reached, Run("report run"),
      fmt::format("\nconformant: 1 of {} clauses, for 1 and 2 ranks of 1024 declared, stages 0 to 3, fp32; ", clauses));
  EXPECT_NE(reached.out.find("\nprofiles in full: reshard"), std::string::npos) << reached.out;
  const Ended missed = Run(check + "--require reshard,cost");
  EXPECT_EQ(missed.exit_code, 1) << missed.out;
  ExpectAgreeingReports(missed, Run("report run"), "\nnot conformant; required, and not reached: cost not claimed");
  EXPECT_EQ(Run("report run").exit_code, 1);
}

/// What the native engine offers under its own names of strategies is what --strategy asks for.
TEST_F(Program, MeansByAStrategyWhatTheNativeEngineMeans) {
  const std::string strategies[] = {"NoShard", "ShardGradOp", "FullShard", "HybridShard"};
  for (const std::string& chosen : strategies) {
    for (const std::string& asked : strategies) {
      const Ended ended =
          Run("check C-ZERO-010 --launcher threads --ranks 4 --cases 4 --subject native --option strategy=" + chosen +
              " --strategy " + asked);
      EXPECT_EQ(ended.exit_code, chosen == asked ? kExitConformant : kExitUsage)
          << asked << " " << ended.out << ended.err;
    }
  }
}

TEST_F(Program, RanksThatDoNotStartAreAVerdict) {
  const std::pair<const char*, const char*> table[] = {
      {"echo no licence; exit 3", "exited with 3, it stood before its hello; output ends: no licence"},
      {"kill -STOP $$", "did not say hello within 1 s"}};
  for (const auto& [command, sentence] : table) {
    SCOPED_TRACE(command);
    const Ended ended =
        Run(std::string("check C-ZERO-001 C-ZERO-003 --out run --start-deadline 1 --subject 'exec:") + command + "'");
    EXPECT_EQ(ended.exit_code, 4);
    EXPECT_NE(ended.err.find(sentence), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.out.find("no case ran, because the ranks do not start (C-ZERO-001, C-ZERO-003)"), std::string::npos)
        << ended.out;
    EXPECT_NE(Contents(folder() / "run/junit.xml").find("tests=\"3\" failures=\"0\" errors=\"3\""), std::string::npos);
    ExpectAgreeingReports(ended, Run("report run"), "\ncrash or hang (exit code 4)");
  }
}

TEST_F(Program, RanksThatCrashAfterTheLastCaseAreAVerdict) {
  const Ended ended =
      Run("check C-ZERO-001 --ranks 2 --precision fp32 --cases 60 --launcher local --out run --subject "
          "plugin:" ZEROCTS_ABORTS_AT_EXIT);
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_NE(ended.out.find("was killed by signal 6 (SIGABRT), it stood behind shutdown, where its"), std::string::npos)
      << ended.out;
  EXPECT_NE(Contents(folder() / "run/junit.xml").find("classname=\"shutdown\" name=\"shutdown under local W=2\""),
            std::string::npos);
  ExpectAgreeingReports(ended, Run("report run"), "\nshutdown under local W=2: crash\n  after the last case rank ");
  ExpectAgreeingReports(ended, Run("report run"), "\ncrash or hang (exit code 4)");
}

TEST_F(Program, GpusSaysWhyThereAreNone) {
  const Ended ended = Run("gpus --ctest-spec gpus.json", "PATH=/nowhere");
  EXPECT_EQ(ended.exit_code, 77);
  EXPECT_NE(ended.out.find("no GPU on this machine: "), std::string::npos) << ended.out;
  EXPECT_NE(Contents(folder() / "gpus.json").find("\"gpus\""), std::string::npos);
}

TEST_F(Program, GpusRunsAProgramOnThoseOfCtest) {
  const std::string two =
      "CTEST_RESOURCE_GROUP_COUNT=1 CTEST_RESOURCE_GROUP_0=gpus "
      "CTEST_RESOURCE_GROUP_0_GPUS='id:3,slots:1;id:5,slots:1' ";
  const Ended ended = Run("gpus --at-least 2 -- printenv CUDA_VISIBLE_DEVICES", two);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "3,5\n");
  EXPECT_EQ(Run("gpus -- sh -c 'exit 9'", two).exit_code, 9);
  const Ended too_few = Run("gpus --at-least 4 -- printenv PATH", two);
  EXPECT_EQ(too_few.exit_code, 77);
  EXPECT_EQ(too_few.out, "not run: 4 GPUs are wanted, and CTest gave 2\n");
  const Ended none = Run("gpus -- printenv PATH", "PATH=/nowhere");
  EXPECT_EQ(none.exit_code, 77);
  EXPECT_EQ(none.out.find("not run: no GPU on this machine: "), 0u) << none.out;
}

constexpr const char* kSmallCheck =
    "check C-ZERO-001 --subject native --launcher threads --ranks 1,3 --precision fp32 --cases 60 --out run";

TEST_F(Program, CheckLeavesAgreeingReports) {
  const Ended ended = Run(kSmallCheck);
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("\nconformant: 1 of "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("; partial: 1 chosen clause, world sizes 1, 3 only, precision fp32 only (exit code 0)"),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("run/results.ndjson"), std::string::npos) << ended.out;

  EXPECT_EQ(Run("report run --junit again.xml").exit_code, 0);
  EXPECT_EQ(Contents(folder() / "again.xml"), Contents(folder() / "run/junit.xml"));
  EXPECT_NE(Run("report run").out.find("\nconformant: 1 of "), std::string::npos);
}

TEST_F(Program, CheckNamesItsSeeds) {
  const auto seeds = [&](const std::string& options) {
    const std::string out = Run(kSmallCheck + options).out;
    const size_t begin = out.find("  seed"), end = out.find("  tier", begin);
    return end == std::string::npos ? out : out.substr(begin + 2, end - begin - 2);
  };
  EXPECT_EQ(seeds(""), "seed 1");
  EXPECT_EQ(seeds(" --require zero-1 --seed 3,4"), "seeds 3 4");
  EXPECT_TRUE(seeds(" --require zero-1").starts_with("seeds 1 "));
  const std::string drawn = seeds(" --seed random");
  EXPECT_TRUE(drawn.starts_with("seed ") && drawn != "seed 1") << drawn;
  EXPECT_NE(drawn, seeds(" --seed random"));
}

TEST_F(Program, NativeConformsWithEachOptimizerAlone) {
  for (const std::string optimizer : {"muon", "lamb"}) {
    const auto ended =
        Run("check step --subject native --launcher threads --ranks 1,2 --tier smoke --optimizer " + optimizer);
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
  }
}

TEST_F(Program, APluginWithTheNameOfASubjectHasAFolderOfItsOwn) {
  fs::copy(fs::path(ZEROCTS_PROGRAM).parent_path() / "../lib/zerocts/subjects/native.so", folder() / "native.so");
  ASSERT_EQ(Run("check C-ZERO-014 --subject plugin:native.so --launcher threads --ranks 1 --precision fp32 --cases 1")
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(folder() / "zerocts-results/plugin-native-seed-1/results.ndjson"));
  EXPECT_FALSE(fs::exists(folder() / "zerocts-results/native-seed-1"));
}

TEST_F(Program, ReportEndsWithTheVerdictsExitCode) {
  ASSERT_EQ(Run(kSmallCheck).exit_code, 0);
  EXPECT_EQ(Run("report run").exit_code, 0);
  Put("empty.ndjson", "");
  EXPECT_EQ(Run("report empty.ndjson").exit_code, 3);
  const std::string log = Contents(folder() / "run/results.ndjson");
  const size_t first = log.find('\n') + 1, second = log.find('\n', first) + 1;
  Put("lost.ndjson", log.substr(0, first) + log.substr(second));
  Put("twice.ndjson", log + log);
  Put("huge.ndjson", "{\"record\": 1e400}\n");
  for (const auto& [file, reason] :
       {std::pair("lost.ndjson", "line 2 is missing"),
        {"twice.ndjson", "a second run begins in line "},
        {"huge.ndjson", "no record stands in line 1; in its text, line 1, column 12: expected a number"}}) {
    const Ended ended = Run(std::string("report ") + file);
    EXPECT_EQ(ended.exit_code, 3) << ended.out;
    EXPECT_NE(ended.out.find(std::string("\nno verdict: ") + reason), std::string::npos) << ended.out;
    EXPECT_EQ(Run(std::string("report --junit a.xml ") + file).exit_code, 3);
    EXPECT_EQ(Run(std::string("report --matrix a.html run ") + file).exit_code, 3);
  }
}

TEST_F(Program, OneRunAtATimeWritesToAFolder) {
  fs::create_directory(folder() / "run");
  Put("run/results.ndjson", "{\"record\":\"run\",\"pid\":4711}\n");
  const int log = open((folder() / "run/results.ndjson").c_str(), O_RDWR);
  ASSERT_EQ(flock(log, LOCK_EX), 0);
  const Ended refused = Run(kSmallCheck);
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_NE(refused.err.find("got run, where another zerocts (pid 4711) still does"), std::string::npos) << refused.err;
  close(log);
  EXPECT_EQ(Run(kSmallCheck).exit_code, 0);
}

TEST_F(Program, RunsStandBesideEachOther) {
  ASSERT_EQ(Run(kSmallCheck).exit_code, 0);
  fs::create_directories(folder() / "runs/first");
  fs::copy(folder() / "run/results.ndjson", folder() / "runs/first");
  const Ended ended = Run("report run runs --matrix page.html");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* part : {"  1  native ", "  2  native ", "C-ZERO-001  shard coverage", "page: page.html"}) {
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\n" << ended.out;
  }
  EXPECT_NE(Contents(folder() / "page.html").find("</html>"), std::string::npos);
}

/// Everything that differs between two equal runs, cut out: times.
std::string CasesPerConfiguration(const std::string& log) {
  std::string out;
  for (size_t at = log.find("\"cases\":"); at != std::string::npos; at = log.find("\"cases\":", at + 1)) {
    out += log.substr(at, log.find(',', at) - at) + "\n";
  }
  return out;
}

TEST_F(Program, OnlyAFrameworkHasAReproducer) {
  const fs::path corpus = fs::path(ZEROCTS_PROGRAM).parent_path() / "../share/zerocts/corpus/C-ZERO-001";
  const Ended ended =
      Run("replay '" + fs::directory_iterator(corpus)->path().string() + "' --subject native --reproducer a.py");
  EXPECT_EQ(ended.exit_code, 2) << ended.out;
  EXPECT_NE(ended.err.find("--reproducer: expected --subject with a framework of zerocts subjects, got native"),
            std::string::npos)
      << ended.err;
  EXPECT_FALSE(fs::exists(folder() / "a.py"));
}

TEST_F(Program, VariablesOfTestLibrariesChangeNothing) {
  ASSERT_EQ(Run(kSmallCheck).exit_code, 0);
  const std::string plain = CasesPerConfiguration(Contents(folder() / "run/results.ndjson"));
  const Ended ended =
      Run(kSmallCheck,
          "GTEST_FILTER=Nothing.* GTEST_TOTAL_SHARDS=7 GTEST_SHARD_INDEX=3 GTEST_REPEAT=2 GTEST_LIST_TESTS=1 "
          "GTEST_OUTPUT=xml:stray.xml RC_PARAMS=max_success=1");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(CasesPerConfiguration(Contents(folder() / "run/results.ndjson")), plain);
  EXPECT_FALSE(fs::exists(folder() / "stray.xml"));
}

TEST_F(Program, OptionsComeFromVariablesToo) {
  EXPECT_EQ(Run("check C-ZERO-001",
                "ZEROCTS_LAUNCHER=threads ZEROCTS_RANKS=3 ZEROCTS_PRECISION=fp32 ZEROCTS_CASES=60 ZEROCTS_OUT=run")
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(folder() / "run/results.ndjson"));
}

TEST_F(Program, DiffFindsTheFirstDifference) {
  const std::string train = "train --steps 2 --text long.txt --trace ";
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a line of text, and then another one\n";
  Put("long.txt", text);
  ASSERT_EQ(Run(train + "a.ndjson").exit_code, 0);
  ASSERT_EQ(Run(train + "b.ndjson").exit_code, 0);
  ASSERT_EQ(Run(train + "c.ndjson --seed 2").exit_code, 0);
  EXPECT_EQ(Run("diff a.ndjson b.ndjson").exit_code, 0);
  const Ended different = Run("diff a.ndjson c.ndjson");
  EXPECT_EQ(different.exit_code, 1);
  EXPECT_NE(different.out.find("first difference: step 0"), std::string::npos) << different.out;
}

}  // namespace
}  // namespace zerocts
