// Deadlines of ranks that hardly get a core because the machine does other work. Part of the endings test, whose main
// is also the worker.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;

/// Keeps every core busy.
class OtherWork {
 public:
  OtherWork() {
    for (unsigned i = 0; i < kProcessesPerCore * std::thread::hardware_concurrency(); ++i) {
      const pid_t pid = fork();
      if (pid == 0) Work();
      pids_.push_back(pid);
    }
  }
  ~OtherWork() {
    for (const pid_t pid : pids_) kill(pid, SIGKILL);
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }

 private:
  static constexpr unsigned kProcessesPerCore = 4, kSecondsAtMost = 60;

  [[noreturn]] static void Work() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(kSecondsAtMost);
    for (volatile unsigned turns = 0;;) turns = turns + 1;
  }

  std::vector<pid_t> pids_;
};

/// A group of two, of which rank 1 does `fault`.
std::future<RunResult> Start(LauncherKind launcher, const std::string& fault, std::chrono::milliseconds deadline) {
  return std::async(std::launch::async, [=] {
    const SessionFolder folder;
    HostSettings settings{.session_dir = folder.path()};
    settings.case_deadline = deadline;
    return RankGroup(Faulty(fault), launcher, 2, settings).Run(TinyCase(2));
  });
}

class BusyMachine : public testing::Test {
  void SetUp() override {
    if (!std::filesystem::exists("/proc/thread-self/schedstat")) GTEST_SKIP() << "the kernel does not count waits";
    other_work_.emplace();
  }
  std::optional<OtherWork> other_work_;
};

TEST_F(BusyMachine, MakesNoRankThatWorksAHang) {
  auto of_process = Start(LauncherKind::kLocal, "work", 2s), of_thread = Start(LauncherKind::kThreads, "work", 2s);
  EXPECT_EQ(of_process.get().message, "");
  EXPECT_EQ(of_thread.get().message, "");
}

TEST_F(BusyMachine, HidesNoHang) {
  auto asleep = Start(LauncherKind::kLocal, "hang", 1s), awake = Start(LauncherKind::kLocal, "spin", 1s);
  const RunResult of_asleep = asleep.get(), of_awake = awake.get();
  EXPECT_EQ(ToString(of_asleep.ending), ToString(Ending::kHang)) << of_asleep.message;
  EXPECT_EQ(ToString(of_awake.ending), ToString(Ending::kHang)) << of_awake.message;
  const std::string stretched = "misbehave, spin; 1 s of time in which the ranks could run took ";
  EXPECT_NE(of_awake.message.find(stretched), std::string::npos) << of_awake.message;
}

}  // namespace
}  // namespace zerocts
