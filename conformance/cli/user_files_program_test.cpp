// What users name that is no usual file: fifos, links, names of any bytes, files that another run writes.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

class UserFiles : public Program {
 protected:
  /// 137: it waited.
  Ended RunSoon(const std::string& arguments) {
    return Run("--version >/dev/null && timeout --signal=KILL 10 '" ZEROCTS_PROGRAM "' " + arguments);
  }
};

TEST_F(UserFiles, AreNotWaitedFor) {
  mkfifo((folder() / "fifo").c_str(), 0600);
  fs::create_directory(folder() / "run");
  mkfifo((folder() / "run/results.ndjson").c_str(), 0600);
  for (const char* arguments :
       {"plan verify fifo", "plan cost --model fifo --ranks 2", "plan draw fifo", "plan diff fifo fifo",
        "plan fuzz --planner padded --corpus fifo", "replay fifo", "train --experiment fifo", "train --text fifo",
        "train --steps 1 --trace fifo", "check --expect fifo", "check --plan file:fifo", "check --subject plugin:fifo",
        "check --out run C-ZERO-014", "report fifo", "report run", "diff fifo fifo"}) {
    const Ended ended = RunSoon(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments << ended.out << ended.err;
    EXPECT_TRUE(Has(ended.err, "expected a regular file, got ")) << arguments << ended.err;
  }
  EXPECT_EQ(RunSoon("plan make --model tiny --plan padded --ranks 2 --out fifo").exit_code, 2);
}

TEST_F(UserFiles, OfAnyBytesTrainOrAreRefused) {
  fs::create_directory(folder() / "\xff");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i);
  Put("\xff/text", text);
  EXPECT_EQ(Run("train --steps 1 --text \xff/text --trace trace").exit_code, 0);
  EXPECT_TRUE(Has(Contents(folder() / "trace"), "\xef\xbf\xbd/text"));
  EXPECT_EQ(Run("plan make --model tiny --plan padded --ranks 2 --out \xff/plan.json").exit_code, 0);
  for (const char* arguments : {"run --steps 1 --text \xff/text", "check --option comm=\xff",
                                "check --plan file:\xff/plan.json --launcher threads"}) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments << ended.err;
    EXPECT_TRUE(Has(ended.err, "in UTF-8")) << ended.err;
  }
  EXPECT_EQ(Run("plan cost \xff/plan.json --json").exit_code, 0);
}

TEST_F(UserFiles, ThatAnotherRunWritesAreRefused) {
  Put("trace", "another's");
  fs::create_directory(folder() / "out");
  const int trace = open((folder() / "trace").c_str(), O_RDWR), out = open((folder() / "out").c_str(), O_RDONLY);
  ASSERT_EQ(flock(trace, LOCK_EX) + flock(out, LOCK_EX), 0);
  for (const char* arguments : {"train --steps 1 --trace trace", "train --steps 1 --tensors out",
                                "plan fuzz --planner padded --cases 1 --out out"}) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments << ended.err;
    EXPECT_TRUE(Has(ended.err, "where another zerocts still does")) << ended.err;
  }
  EXPECT_EQ(Contents(folder() / "trace"), "another's");
  close(trace), close(out);
  EXPECT_EQ(Run("train --steps 1 --trace trace --tensors out").exit_code, 0);
}

/// Those in a folder that is named, by either kind of link.
TEST_F(UserFiles, ThatLinksNameStay) {
  Put("stranger", "a stranger's");
  fs::create_directory(folder() / "run");
  fs::create_directory(folder() / "out");
  for (const char* link :
       {"run/results.ndjson", "run/junit.xml", "run/report.html", "out/planner.log", "out/initial.safetensors"})
    fs::create_symlink(folder() / "stranger", folder() / link);
  EXPECT_EQ(Run("check C-ZERO-014 --cases 1 --precision fp32 --ranks 1 --launcher threads --out run").exit_code, 0);
  EXPECT_EQ(Run("plan fuzz --planner cat --cases 1 --out out").exit_code, 1);
  EXPECT_EQ(Run("train --steps 1 --tensors out").exit_code, 0);
  EXPECT_EQ(Contents(folder() / "stranger"), "a stranger's");
  EXPECT_TRUE(Has(Contents(folder() / "run/junit.xml"), "<testsuite"));
}

TEST_F(UserFiles, InAFolderOfAnyNameAreReplayedAsPrinted) {
  const Ended ended = Run("plan fuzz --planner cat --cases 1 --out 'line\nbreak'");
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_TRUE(Has(ended.out, "--corpus $'line\\nbreak/")) << ended.out;
}

}  // namespace
}  // namespace zerocts
