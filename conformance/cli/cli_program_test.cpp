// Runs zerocts as a user does: every bad input gets one sentence and its exit code, and the good commands work.
#include <gtest/gtest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace zerocts {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int exit_code = -1;
  std::string out, err;
};

std::string Contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder with the files that the tests speak of, and the program run in it through a shell.
class Program : public testing::Test {
 protected:
  Program() {
    std::string name = testing::TempDir() + "zerocts_cli.XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    folder_ = name;
    Put("empty.txt", "");
    Put("short.txt", "ab");
    Put("binary.txt", std::string("\x7f" "ELF\0\1\2\0 text with zero bytes\0", 32));
    Put("plain.txt", "not what was expected\n");
    Put("cut.json", "{\"clause\":");
    Put("foreign.json", "{\"clause\": 3}\n");
    Put("deep.json", std::string(100'000, '[') + std::string(100'000, ']'));
    Put("twice.json", R"({"subject": "a", "subject": "b"})");
    Put("huge.json", R"({"record": 1e400})");
    fs::create_directory(folder_ / "folder");
    fs::create_directories(folder_ / "corpus/C-ZERO-999");
  }
  ~Program() override { fs::remove_all(folder_); }

  void Put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  const fs::path& folder() const { return folder_; }

  /// `arguments` and `variables` as a shell takes them.
  Ended Run(const std::string& arguments, const std::string& variables = "") {
    const std::string command = "cd '" + folder_.string() + "' && env XDG_CACHE_HOME=\"$PWD\" " + variables + " '" ZEROCTS_PROGRAM "' " + arguments +
                                " >stdout.log 2>stderr.log </dev/null";
    FILE* shell = popen(command.c_str(), "r");
    const int status = pclose(shell);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Contents(folder_ / "stdout.log"), Contents(folder_ / "stderr.log")};
  }

 private:
  fs::path folder_;
};

struct BadInput {
  const char* arguments;
  std::vector<const char*> phrases;  // of the one line on stderr
  const char* variables = "";
  int exit_code = 2;
};

constexpr const char* kOneGpuOfCtest = "CTEST_RESOURCE_GROUP_COUNT=1 CTEST_RESOURCE_GROUP_0=gpus CTEST_RESOURCE_GROUP_0_GPUS='id:0,slots:1'";

const std::vector<BadInput> kBadInputs = {
    // world sizes
    {"check --ranks 0", {"--ranks", "expected whole numbers from 1", "got '0'"}},
    {"check --ranks -1", {"--ranks", "got '-1'"}},
    {"check --ranks=-1", {"--ranks", "got '-1'"}},
    {"check --ranks two", {"--ranks", "got 'two'"}},
    {"check --ranks 2,x", {"--ranks", "got 'x'"}},
    {"check --ranks ,", {"--ranks", "at least one"}},
    {"check --ranks 99999999999999999999", {"--ranks", "got '99999999999999999999'"}},
    {"check --ranks 500 --subject native --launcher threads", {"--ranks", "native", "got 500"}},
    {"check --ranks 1000000", {"--ranks", "MiB", "got 1000000", "choose fewer"}},
    {"check --launcher local", {"got '0'"}, "ZEROCTS_RANKS=0"},
    // names
    {"", {"expected a subcommand (check, ", "got none"}},
    {"chekc", {"expected a subcommand", "got 'chekc'", "did you mean check?"}},
    {"check --rank 3", {"expected an option of check", "got '--rank'", "--ranks"}},
    {"check --subject nativ", {"nativ", "native"}},
    {"check --launcher telepathy", {"telepathy", "mpirun"}},
    {"check onwership", {"onwership", "did you mean ownership?"}},
    {"check C-ZERO-999", {"C-ZERO-999", "matches nothing"}},
    {"list C-ZERO-999", {"C-ZERO-999", "matches nothing"}},
    {"explain C-ZERO-999", {"C-ZERO-999", "did you mean"}},
    {"check ''", {"CLAUSE|FAMILY", "expected at least one word, got ''"}},
    {"check ,", {"CLAUSE|FAMILY", "expected at least one word, got ','"}},
    {"explain ''", {"expected at least one word"}},
    {"check --subject ''", {"--subject", "expected at least one word, got ''"}},
    {"check --out ''", {"--out", "expected at least one word"}},
    {"train --text '' --steps 1", {"--text", "expected at least one word"}},
    {"list", {"ZEROCTS_RANKZ", "did you mean", "ZEROCTS_RANKS"}, "ZEROCTS_RANKZ=3"},
    // values
    {"check --precision fp8", {"--precision", "bf16", "got 'fp8'"}},
    {"check --stage 4", {"--stage", "from 0 to 3", "got '4'"}},
    {"check --plan contigous --launcher threads", {"--plan", "which subject native declares", "got 'contigous' (did you mean contiguous"}},
    {"check --seed soon", {"--seed", "got 'soon'"}},
    {"check --cases 0", {"--cases", "got '0'"}},
    {"check --time-budget soon", {"--time-budget", "90s", "got 'soon'"}},
    {"check --deadline 0", {"--deadline", "got '0'"}},
    {"check --deadline 25h", {"--deadline", "at most 24h", "got '25h'"}},
    {"check --start-deadline 0", {"--start-deadline", "90s", "got '0'"}},
    {"check --start-deadline soon", {"--start-deadline", "90s", "got 'soon'"}},
    {"check --shutdown-deadline 1d", {"--shutdown-deadline", "90s", "got '1d'"}},
    {"check", {"--shutdown-deadline", "got '-1'"}, "ZEROCTS_SHUTDOWN_DEADLINE=-1"},
    {"check --jobs 0", {"--jobs", "got '0'"}},
    {"check --tier enormous", {"--tier", "smoke", "got 'enormous'"}},
    {"mutants M20 --tier enormous", {"--tier", "smoke", "got 'enormous'"}},
    {"check --option verbose", {"--option", "key=value", "got 'verbose'"}},
    {"check --option verbose=1", {"--option", "expected what native can have with 4 ranks under local", "got verbose=1", "this subject has: comm="}},
    {"check --launcher threads --option comm=mpi", {"under threads", "got comm=mpi", "it says: "}},
    {"check --device abacus", {"--device", "got device=abacus", "host"}},
    {"check --device cuda --launcher threads", {"--device", "got device=cuda", "it says: "}, "CUDA_VISIBLE_DEVICES="},
    // GPUs
    {"gpus --ctest-spec missing/gpus.json", {"--ctest-spec", "can be written", "got missing/gpus.json"}},
    {"gpus --at-least none", {"--at-least", "got 'none'"}},
    {"gpus -- no-such-program", {"gpus -- PROGRAM", "got 'no-such-program'"}, kOneGpuOfCtest},
    {"check --device cuda --option gpu=rank --ranks 2,3", {"CTest gave this test GPUs, 1, got 3", "ask for 3,gpus:1"}, kOneGpuOfCtest},
    {"check --device cuda", {"CTEST_RESOURCE_GROUP_0 is not set: expected it from ctest"}, "CTEST_RESOURCE_GROUP_COUNT=1"},
    {"check --corpus missing", {"--corpus", "got 'missing'"}},
    {"check --corpus corpus", {"--corpus corpus", "named after clauses", "got 'C-ZERO-999'", "would not run"}},
    // variables that are no options
    {"check C-ZERO-001", {"ZEROCTS_THREADS", "from 1 to 256", "got '-1'"}, "ZEROCTS_THREADS=-1"},
    {"list", {"ZEROCTS_KERNELS", "'sse9'", "portable"}, "ZEROCTS_KERNELS=sse9"},
    {"check C-ZERO-001", {"ZEROCTS_NCCL_LIBRARY", "got 'missing.so'", "unset it"}, "ZEROCTS_NCCL_LIBRARY=missing.so"},
    {"check C-ZERO-001", {"ZEROCTS_CUBLAS_LIBRARY", "got 'folder'"}, "ZEROCTS_CUBLAS_LIBRARY=folder"},
    // frameworks
    {"check --subject torch-fsdp", {"torch-fsdp2"}},
    {"check --subject torch-fsdp2 --version newest", {"--version", "such as 2.", "got 'newest'"}},
    {"check --subject torch-fsdp2 --python /nonexistent", {"--python", "got /nonexistent"}},
    {"check --subject torch-fsdp2 --device cuda", {"--device cuda", "--python PATH", "for CPUs"}},
    {"check --subject torch-fsdp2 --device sim", {"--device", "cpu or cuda", "got sim"}},
    {"check --subject native --version 2.13", {"--version", "torch-fsdp2", "got subject \"native\""}},
    {"check --subject native --python python3", {"--python", "leave it out"}},
    {"check --subject torch-fsdp2", {"expected python3 in PATH"}, "PATH=/nowhere"},
    // how ranks start
    {"check --subject exec:no-such-program", {"not found", "exited with 127"}},
    {"check --subject exec:true --launcher threads", {"--launcher threads", "expected a plugin"}},
    {"check --subject native --launcher command", {"--launcher command", "exec:COMMAND"}},
    {"check --subject exec:true --launcher command", {"{world_size}", "--ranks"}},
    // expectations
    {"check C-ZERO-001 --ranks 1 --expect missing.json", {"--expect", "missing.json"}},
    {"check C-ZERO-001 --ranks 1 --expect plain.txt", {"--expect plain.txt", "line 1, column 1: expected a value, got \"no\""}},
    {"check --fix-expectations", {"expected --expect FILE"}},
    {"check C-ZERO-001 --fix-expectations --expect new.json", {"got 1 of ", "leave out the options"}},
    // plugins
    {"check --subject plugin:missing.so", {"missing.so"}},
    {"check --subject plugin:plain.txt", {"plain.txt"}},
    {"check --subject plugin:folder", {"folder"}},
    {"check --subject plugin:" ZEROCTS_NO_SUBJECT, {"zerocts_subject_v1"}},
    {"check --subject plugin:" ZEROCTS_WRONG_MAJOR, {"ABI", "2", "1"}},
    // files
    {"train --text missing.txt --steps 1", {"missing.txt"}},
    {"train --text folder --steps 1", {"folder"}},
    {"train --text empty.txt --steps 1", {"empty.txt"}},
    {"train --text binary.txt --steps 1", {"binary.txt"}},
    {"train --text plain.txt --model tiny --context 5000 --steps 1", {"plain.txt", "more than 5000 tokens", "longer"}},
    {"train --model rnn --steps 1", {"--model", "tiny, small or gpt2-124m", "got 'rnn'"}},
    {"train --experiment missing.json", {"--experiment", "missing.json"}},
    {"train --experiment plain.txt", {"--experiment", "plain.txt"}},
    {"train --experiment cut.json", {"--experiment", "cut.json"}},
    {"train --experiment foreign.json", {"--experiment", "foreign.json", "experiment"}},
    {"train --experiment cut.json --steps 3", {"--experiment", "--steps"}},
    {"train --layers 3 --steps 1", {"--layers", "expected a gpt model", "got mlp"}},
    {"train --model tiny --heads 5 --steps 1", {"model.gpt.heads", "divisor of the width 64", "got 5"}},
    {"train --model tiny --vocab 0 --steps 1", {"--vocab", "from 1", "got '0'"}},
    {"train --optimizer adamx --steps 1", {"--optimizer", "adamw", "got \"adamx\""}},
    {"train --threads 0 --steps 1", {"--threads", "from 1", "got '0'"}},
    {"train --tensors plain.txt --steps 1", {"--tensors", "plain.txt", "choose another place"}},
    {"replay missing.json", {"missing.json"}},
    {"replay folder", {"folder"}},
    {"replay empty.txt", {"empty.txt"}},
    {"replay cut.json", {"cut.json"}},
    {"replay deep.json", {"deep.json", "at most 64 levels"}},
    {"train --experiment deep.json", {"--experiment", "deep.json", "at most 64 levels"}},
    {"check --expect deep.json", {"--expect deep.json", "at most 64 levels"}},
    {"check --expect twice.json", {"--expect twice.json", "got \"subject\" twice"}},
    {"check --expect foreign.json", {"--expect foreign.json", "file.subject: expected this field"}},
    {"diff deep.json deep.json", {"deep.json", "line 1 is no header record", "at most 64 levels"}},
    {"replay foreign.json", {"foreign.json"}},
    {"replay", {"CASE"}},
    {"report missing", {"missing"}},
    {"report plain.txt", {"plain.txt", "line 1"}},
    {"report folder", {"results.ndjson"}},
    {"report plain.txt folder", {"expected one run, got 2", "--matrix"}},
    {"report folder --matrix page.html", {"results.ndjson"}},
    {"report folder --matrix page.html --junit a.xml", {"--junit", "--matrix"}},
    {"diff plain.txt plain.txt", {"plain.txt", "trace"}},
    {"check C-ZERO-001 --ranks 1 --cases 1 --launcher local --out plain.txt/results", {"plain.txt/results"}},
    // the machine
    {"check --launcher mpirun", {"expected mpirun on the PATH", "--launcher local"}, "PATH=/nowhere"},
};

TEST_F(Program, BadInputGetsOneSentence) {
  for (const BadInput& bad : kBadInputs) {
    SCOPED_TRACE(std::string(bad.variables) + " zerocts " + bad.arguments);
    const Ended ended = Run(bad.arguments, bad.variables);
    EXPECT_EQ(ended.exit_code, bad.exit_code);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.err.rfind("zerocts: ", 0), 0u) << ended.err;
    for (const char* phrase : bad.phrases) EXPECT_NE(ended.err.find(phrase), std::string::npos) << phrase << "\n" << ended.err;
  }
}

TEST_F(Program, GoodCommandsSucceed) {
  const std::pair<const char*, const char*> table[] = {
      {"--help", "check"},
      {"--version", "zerocts "},
      {"check --help", "--time-budget"},
      {"list", "C-ZERO-001"},
      {"list ownership", "shard coverage"},
      {"explain C-ZERO-001", "How it is checked"},
      {"explain c_zero_001", "https://"},
      {"subjects", "native"},
  };
  for (const auto& [arguments, phrase] : table) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.exit_code, 0) << arguments << "\n" << ended.err;
    EXPECT_EQ(ended.err, "") << arguments;
    EXPECT_NE(ended.out.find(phrase), std::string::npos) << arguments << "\n" << ended.out;
  }
}

/// Whatever reads the log again comes to the verdict of the run.
void ExpectAgreeingReports(const Ended& run, const Ended& report, const std::string& verdict) {
  EXPECT_NE(run.out.find(verdict), std::string::npos) << run.out << run.err;
  EXPECT_NE(report.out.find(verdict), std::string::npos) << report.out;
}

TEST_F(Program, RanksThatDoNotStartAreAVerdict) {
  const std::pair<const char*, const char*> table[] = {{"echo no licence; exit 3", "exited with 3, it stood before its hello; output ends: no licence"},
                                                       {"kill -STOP $$", "did not say hello within 1 s"}};
  for (const auto& [command, sentence] : table) {
    SCOPED_TRACE(command);
    const Ended ended = Run(std::string("check C-ZERO-001 C-ZERO-003 --out run --start-deadline 1 --subject 'exec:") + command + "'");
    EXPECT_EQ(ended.exit_code, 4);
    EXPECT_NE(ended.err.find(sentence), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.out.find("no case ran, because the ranks do not start (C-ZERO-001, C-ZERO-003)"), std::string::npos) << ended.out;
    EXPECT_NE(Contents(folder() / "run/junit.xml").find("tests=\"3\" failures=\"0\" errors=\"3\""), std::string::npos);
    ExpectAgreeingReports(ended, Run("report run"), "\nCRASH OR HANG (exit code 4)");
  }
}

TEST_F(Program, RanksThatCrashAfterTheLastCaseAreAVerdict) {
  const Ended ended = Run("check C-ZERO-001 --ranks 2 --precision fp32 --cases 60 --launcher local --out run --subject plugin:" ZEROCTS_ABORTS_AT_EXIT);
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_NE(ended.out.find("was killed by signal 6 (SIGABRT), it stood behind shutdown, where its"), std::string::npos) << ended.out;
  EXPECT_NE(Contents(folder() / "run/junit.xml").find("classname=\"shutdown\" name=\"shutdown under local W=2\""), std::string::npos);
  ExpectAgreeingReports(ended, Run("report run"), "\nshutdown under local W=2: crash\n  after the last case rank ");
  ExpectAgreeingReports(ended, Run("report run"), "\nCRASH OR HANG (exit code 4)");
}

TEST_F(Program, GpusSaysWhyThereAreNone) {
  const Ended ended = Run("gpus --ctest-spec gpus.json", "PATH=/nowhere");
  EXPECT_EQ(ended.exit_code, 77);
  EXPECT_NE(ended.out.find("no GPU on this machine: "), std::string::npos) << ended.out;
  EXPECT_NE(Contents(folder() / "gpus.json").find("\"gpus\""), std::string::npos);
}

TEST_F(Program, GpusRunsAProgramOnThoseOfCtest) {
  const std::string two = "CTEST_RESOURCE_GROUP_COUNT=1 CTEST_RESOURCE_GROUP_0=gpus CTEST_RESOURCE_GROUP_0_GPUS='id:3,slots:1;id:5,slots:1' ";
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

constexpr const char* kSmallCheck = "check C-ZERO-001 --subject native --launcher threads --ranks 1,3 --precision fp32 --cases 60 --out run";

TEST_F(Program, CheckLeavesAgreeingReports) {
  const Ended ended = Run(kSmallCheck);
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("\nCONFORMANT, PARTIAL: 1 OF "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(" CLAUSES, WORLD SIZES 1, 3 ONLY, PRECISION FP32 ONLY (exit code 0)"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("run/results.ndjson"), std::string::npos) << ended.out;

  EXPECT_EQ(Run("report run --junit again.xml").exit_code, 0);
  EXPECT_EQ(Contents(folder() / "again.xml"), Contents(folder() / "run/junit.xml"));
  EXPECT_NE(Run("report run").out.find("\nCONFORMANT"), std::string::npos);
}

TEST_F(Program, APluginWithTheNameOfASubjectHasAFolderOfItsOwn) {
  fs::copy(fs::path(ZEROCTS_PROGRAM).parent_path() / "../lib/zerocts/subjects/native.so", folder() / "native.so");
  ASSERT_EQ(Run("check C-ZERO-001 --subject plugin:native.so --launcher threads --ranks 1 --precision fp32 --cases 1").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder() / "zerocts-results/plugin-native-seed-1/results.ndjson"));
  EXPECT_FALSE(fs::exists(folder() / "zerocts-results/native-seed-1"));
}

TEST_F(Program, ReportEndsWithTheVerdictsExitCode) {
  ASSERT_EQ(Run(kSmallCheck).exit_code, 0);
  EXPECT_EQ(Run("report run").exit_code, 0);
  EXPECT_EQ(Run("report /dev/null").exit_code, 3);
  const std::string log = Contents(folder() / "run/results.ndjson");
  const size_t first = log.find('\n') + 1, second = log.find('\n', first) + 1;
  Put("lost.ndjson", log.substr(0, first) + log.substr(second));
  Put("twice.ndjson", log + log);
  Put("huge.ndjson", "{\"record\": 1e400}\n");
  for (const auto& [file, reason] :
       {std::pair("lost.ndjson", "line 2 is missing"), {"twice.ndjson", "a second run begins in line "},
        {"huge.ndjson", "no record stands in line 1; in its text, line 1, column 11: expected a number"}}) {
    const Ended ended = Run(std::string("report ") + file);
    EXPECT_EQ(ended.exit_code, 3) << ended.out;
    EXPECT_NE(ended.out.find(std::string("\nNO VERDICT: ") + reason), std::string::npos) << ended.out;
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
  EXPECT_NE(refused.err.find("got run, where another zerocts check (pid 4711) still does"), std::string::npos) << refused.err;
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
std::string CasesPerStratum(const std::string& log) {
  std::string out;
  for (size_t at = log.find("\"cases\":"); at != std::string::npos; at = log.find("\"cases\":", at + 1)) {
    out += log.substr(at, log.find(',', at) - at) + "\n";
  }
  return out;
}

TEST_F(Program, OnlyAFrameworkHasAReproducer) {
  const fs::path corpus = fs::path(ZEROCTS_PROGRAM).parent_path() / "../share/zerocts/corpus/C-ZERO-001";
  const Ended ended = Run("replay '" + fs::directory_iterator(corpus)->path().string() + "' --subject native --reproducer a.py");
  EXPECT_EQ(ended.exit_code, 2) << ended.out;
  EXPECT_NE(ended.err.find("--reproducer: expected --subject with a framework of zerocts subjects, got native"), std::string::npos) << ended.err;
  EXPECT_FALSE(fs::exists(folder() / "a.py"));
}

TEST_F(Program, VariablesOfTestLibrariesChangeNothing) {
  ASSERT_EQ(Run(kSmallCheck).exit_code, 0);
  const std::string plain = CasesPerStratum(Contents(folder() / "run/results.ndjson"));
  const Ended ended = Run(kSmallCheck,
                          "GTEST_FILTER=Nothing.* GTEST_TOTAL_SHARDS=7 GTEST_SHARD_INDEX=3 GTEST_REPEAT=2 GTEST_LIST_TESTS=1 "
                          "GTEST_OUTPUT=xml:stray.xml RC_PARAMS=max_success=1");
  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_EQ(CasesPerStratum(Contents(folder() / "run/results.ndjson")), plain);
  EXPECT_FALSE(fs::exists(folder() / "stray.xml"));
}

TEST_F(Program, OptionsComeFromVariablesToo) {
  EXPECT_EQ(Run("check C-ZERO-001", "ZEROCTS_LAUNCHER=threads ZEROCTS_RANKS=3 ZEROCTS_PRECISION=fp32 ZEROCTS_CASES=60 ZEROCTS_OUT=run")
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(folder() / "run/results.ndjson"));
}

TEST_F(Program, TrainsAgainWhatATraceSays) {
  ASSERT_EQ(Run("train --model tiny --steps 2 --seed 5 --optimizer lamb --trace first.ndjson").exit_code, 0);
  ASSERT_EQ(Run("train --experiment first.ndjson --trace again.ndjson").exit_code, 0);
  const Ended diff = Run("diff first.ndjson again.ndjson");
  EXPECT_EQ(diff.exit_code, 0) << diff.out;
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
