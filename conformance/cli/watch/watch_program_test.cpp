// zerocts watch around commands that train nothing: the command keeps its output, its signals and its end.
#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

class Watch : public Program {};

TEST_F(Watch, HasTheOutputAndTheExitCodeOfTheCommand) {
  const Ended ended = Run("watch -- sh -c 'echo out; echo err >&2; exit 7'");
  EXPECT_EQ(ended.exit_code, 7);
  EXPECT_EQ(ended.out, "out\n");
  EXPECT_TRUE(ended.err.starts_with("err\nzerocts: ")) << ended.err;
}

TEST_F(Watch, SaysWhyNothingWasJudged) {
  const Ended ended = Run("watch -- true");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(Has(ended.err, "zerocts: nothing was judged: no process that imports torch")) << ended.err;
  EXPECT_EQ(Run("watch --fail -- true").exit_code, 6);
  EXPECT_EQ(Run("watch --fail -- sh -c 'exit 3'").exit_code, 3);
}

TEST_F(Watch, EndsByTheSignalThatEndedTheCommand) {
  const Ended ended = Run("watch -- sh -c 'kill -SEGV $$'; echo $?");
  EXPECT_EQ(ended.out, "139\n") << ended.err;
}

TEST_F(Watch, PassesSignalsOn) {
  const Ended ended = Run("watch -- sh -c 'trap \"echo asked; exit 4\" TERM; kill -TERM $PPID; sleep 9 & wait'");
  EXPECT_EQ(ended.out, "asked\n") << ended.err;
  EXPECT_EQ(ended.exit_code, 4);
}

TEST_F(Watch, LetsTheCommandGoOnWithoutItsJudge) {
  const Ended ended = Run(
      "watch -- sh -c 'for p in $(ps -o pid= --ppid $PPID); do [ $p = $$ ] || kill -9 $p 2>/dev/null; done; echo on; "
      "exit 5'");
  EXPECT_EQ(ended.out, "on\n") << ended.err;
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_TRUE(Has(ended.err, "zerocts: the judge did not come to its end")) << ended.err;
}

TEST_F(Watch, LeavesALogAndRecordsThatAreReadAgain) {
  Run("watch --out runs/today -- true");
  const Ended report = Run("watch report runs/today");
  EXPECT_EQ(report.exit_code, 77) << report.err;
  EXPECT_TRUE(Has(report.out, "nothing applicable")) << report.out;
  const Ended again = Run("watch judge --allow data runs/today");
  EXPECT_EQ(again.exit_code, 6);
  EXPECT_TRUE(Has(again.out, "nothing was judged")) << again.out;
  EXPECT_EQ(Run("watch --out runs/today -- true").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder() / "runs/today/records.previous"));
}

TEST_F(Watch, TakesTheCommandsOwnOptions) {
  for (const std::string options : {"", "--every 3", "--allow data", "--allow data --allow clip --strict"})
    EXPECT_EQ(Run("watch " + options + " -- sh -c 'echo $0' --out --help").out, "--out\n") << options;
}

}  // namespace
}  // namespace zerocts
