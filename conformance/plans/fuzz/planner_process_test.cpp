// Planners that answer badly: each gets a sentence within the deadline, and none is left behind.
#include "conformance/plans/fuzz/planner_process.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace zerocts {
namespace {

using namespace std::chrono_literals;

class PlannerProcesses : public testing::Test {
 protected:
  PlannerProcesses() {
    std::string name = testing::TempDir() + "zerocts_planner.XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    folder_ = name;
  }
  ~PlannerProcesses() override { std::filesystem::remove_all(folder_); }

  PlannerProcess Shell(const std::string& script, std::chrono::milliseconds deadline = 20s, size_t most = 1 << 20) {
    return PlannerProcess({.argv = {"/bin/sh", "-c", script},
                           .errors = (folder_ / "errors").string(),
                           .deadline = deadline,
                           .most_bytes = most});
  }

  /// What it says instead of an answer.
  std::string Complaint(const std::string& script, std::chrono::milliseconds deadline = 20s) {
    PlannerProcess planner = Shell(script, deadline);
    try {
      return "answered " + planner.Answer("{}");
    } catch (const PlannerEnded& ended) {
      return (ended.hung ? "hung: " : "ended: ") + std::string(ended.what());
    } catch (const NoAnswer& none) {
      return std::string("no answer: ") + none.what();
    }
  }

  std::filesystem::path folder_;
};

TEST_F(PlannerProcesses, AnswerLineByLineInOneProcess) {
  PlannerProcess planner = Shell("while read -r line; do echo \"$$ $line\"; done");
  const std::string first = planner.Answer("a"), second = planner.Answer("b");
  EXPECT_EQ(first.substr(0, first.find(' ')), second.substr(0, second.find(' ')));
  EXPECT_EQ(second.substr(second.find(' ')), " b");
}

TEST_F(PlannerProcesses, TakeRequestsLargerThanAPipe) {
  PlannerProcess planner = Shell("cat", 20s, 10'000'000);
  const std::string request(3'000'000, 'x');
  EXPECT_EQ(planner.Answer(request), request);
}

TEST_F(PlannerProcesses, SayHowTheyEnded) {
  EXPECT_EQ(Complaint("exec sleep 100", 300ms), "hung: did not answer within 300 ms");
  EXPECT_EQ(Complaint("read -r line; printf half; exec sleep 100", 3s),
            "hung: did not answer within 3000 ms: half a line came");
  EXPECT_EQ(Complaint("exit 0"), "ended: exited with 0 before it answered");
  EXPECT_EQ(Complaint("read -r line; printf half"), "ended: exited with 0 in the middle of a line before it answered");
  EXPECT_EQ(Complaint("read -r line; echo 'bad stage' >&2; exit 3"),
            "ended: exited with 3 before it answered; its last words: bad stage");
  EXPECT_EQ(Complaint("kill -SEGV $$"), "ended: was killed by signal 11 (SIGSEGV) before it answered");
}

TEST_F(PlannerProcesses, MayNotAnswerWithoutEnd) {
  EXPECT_EQ(Complaint("read -r line; head -c 1000000000 /dev/zero"),
            "no answer: answered a line of more than 1048576 bytes");
  PlannerProcess two = Shell("while read -r line; do printf 'one\\ntwo\\n'; done");
  EXPECT_EQ(two.Answer("{}"), "one");
  EXPECT_THROW(two.Answer("{}"), NoAnswer);
  EXPECT_EQ(two.Answer("{}"), "one") << "the next question starts another process";
}

TEST_F(PlannerProcesses, MayNotFillADisk) {
  EXPECT_TRUE(Complaint("yes >&2").starts_with("ended: said too much: 64 MiB of output, where at most 64 MiB"));
  EXPECT_LE(std::filesystem::file_size(folder_ / "errors"), (size_t{64} << 20) + (size_t{1} << 16));
}

TEST_F(PlannerProcesses, MaySayALittleToEachRequest) {
  PlannerProcess planner = Shell("while read -r line; do head -c 40000000 /dev/zero >&2; echo ok; done");
  EXPECT_EQ(planner.Answer("{}"), "ok");
  EXPECT_EQ(planner.Answer("{}"), "ok");
}

/// Who has been killed and is not reaped by init yet does not run.
bool Runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  stat >> number >> name >> state;
  return !state.empty() && state != "Z";
}

bool EndsSoon(pid_t pid) {
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (Runs(pid) && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  return !Runs(pid);
}

TEST_F(PlannerProcesses, LeaveNobodyBehind) {
  pid_t child = 0;
  {
    PlannerProcess planner = Shell("sleep 1000 & while read -r line; do echo $!; done");
    child = static_cast<pid_t>(std::stol(planner.Answer("{}")));
    EXPECT_TRUE(Runs(child));
  }
  EXPECT_TRUE(EndsSoon(child));
}

/// The sleeper keeps the output open, so that the planner is found to hang.
TEST_F(PlannerProcesses, LeaveNobodyBehindWhoseLeaderHasEnded) {
  PlannerProcess planner = Shell("read -r line; sleep 1000 & echo $!", 3s);
  const auto child = static_cast<pid_t>(std::stol(planner.Answer("{}")));
  EXPECT_TRUE(Runs(child));
  EXPECT_THROW(planner.Answer("{}"), PlannerEnded);
  EXPECT_TRUE(EndsSoon(child));
}

/// With a session of its own, and without a parent.
TEST_F(PlannerProcesses, LeaveNobodyBehindWhoLeftTheirGroup) {
  pid_t child = 0;
  {
    PlannerProcess planner = Shell("read -r line; (setsid sh -c 'echo $$; exec sleep 1000' &); exec sleep 1000");
    child = static_cast<pid_t>(std::stol(planner.Answer("{}")));
    EXPECT_TRUE(Runs(child));
  }
  EXPECT_FALSE(Runs(child));
}

TEST_F(PlannerProcesses, AreNotEndedWithAnother) {
  PlannerProcess stays = Shell("while read -r line; do echo ok; done");
  EXPECT_EQ(stays.Answer("{}"), "ok");
  EXPECT_EQ(Shell("read -r line; echo ok").Answer("{}"), "ok");
  EXPECT_EQ(stays.Answer("{}"), "ok");
}

}  // namespace
}  // namespace zerocts
