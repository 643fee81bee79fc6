#include "conformance/host/system/descendant_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <thread>

namespace zerocts {
namespace {

using namespace std::chrono_literals;

/// A process that waits, started by `parent` ways: 0 by this one, 1 by a child that stays, .. It leads a process group.
class Waiting {
 public:
  explicit Waiting(int generations) {
    int tell[2];
    EXPECT_EQ(pipe(tell), 0);
    pid_t parent = getpid();
    child_ = fork();
    if (child_ == 0) {
      for (int i = 0; i < generations; ++i) {
        const pid_t next = getpid();
        if (fork() != 0) WaitFor(parent);
        parent = next;
      }
      setpgid(0, 0);
      const pid_t self = getpid();
      [[maybe_unused]] const ssize_t told = write(tell[1], &self, sizeof(self));
      WaitFor(parent);
    }
    EXPECT_EQ(read(tell[0], &pid_, sizeof(pid_)), static_cast<ssize_t>(sizeof(pid_)));
    close(tell[0]);
    close(tell[1]);
  }
  ~Waiting() {
    kill(pid_, SIGKILL);
    EndChild();
  }
  pid_t pid() const { return pid_; }
  void EndChild() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  /// As long as its parent lives, which may be dead by now.
  [[noreturn]] static void WaitFor(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();
    _exit(0);
  }
  pid_t child_ = -1, pid_ = -1;
};

TEST(DescendantProcess, IsNobodyElse) {
  for (const int64_t pid : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{-2}, int64_t{getpid()}, int64_t{getppid()},
                            int64_t{INT_MAX}, (int64_t{1} << 32) + getpid(), INT64_MIN, INT64_MAX}) {
    EXPECT_FALSE(DescendantProcess::Prove(pid)) << pid;
  }
}

TEST(DescendantProcess, IsAChildOrAChildsChild) {
  for (const int generations : {0, 1, 3}) {
    const Waiting process(generations);
    const auto proven = DescendantProcess::Prove(process.pid());
    ASSERT_TRUE(proven) << generations;
    EXPECT_EQ(proven->pid(), process.pid());
    EXPECT_FALSE(proven->Gone());
    proven->Kill();
    while (!proven->Gone()) std::this_thread::sleep_for(1ms);
  }
}

TEST(DescendantProcess, IsNoStranger) {
  const Waiting process(1);
  int tell[2];
  ASSERT_EQ(pipe(tell), 0);
  const pid_t sibling = fork();  // to whom it is no descendant
  if (sibling == 0) {
    const bool proven = DescendantProcess::Prove(process.pid()).has_value();
    KillDescendants([&](pid_t pid) { return pid == process.pid(); }, std::chrono::steady_clock::now() + 1s);
    [[maybe_unused]] const ssize_t told = write(tell[1], &proven, sizeof(proven));
    _exit(0);
  }
  bool proven = true;
  ASSERT_EQ(read(tell[0], &proven, sizeof(proven)), static_cast<ssize_t>(sizeof(proven)));
  waitpid(sibling, nullptr, 0);
  close(tell[0]);
  close(tell[1]);
  EXPECT_FALSE(proven);
  EXPECT_FALSE(DescendantProcess::Prove(process.pid())->Gone());
}

TEST(DescendantProcess, StaysItselfWhenItsNumberIsFree) {
  auto process = std::make_unique<Waiting>(0);
  const auto proven = DescendantProcess::Prove(process->pid());
  ASSERT_TRUE(proven);
  process.reset();  // reaped
  EXPECT_TRUE(proven->Gone());
  proven->Kill();
  EXPECT_FALSE(DescendantProcess::Prove(proven->pid()));
}

TEST(DescendantProcess, IsKilledOnlyWhereItIsDoomed) {
  const Waiting leader(2), other(2);
  const auto proven = DescendantProcess::Prove(leader.pid()), spared = DescendantProcess::Prove(other.pid());
  ASSERT_TRUE(proven && spared);
  const auto killed = KillDescendants([&](pid_t pid) { return getpgid(pid) == leader.pid() || pid == getppid(); },
                                      std::chrono::steady_clock::now() + 10s);
  ASSERT_EQ(killed.size(), 1u);
  while (!proven->Gone()) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(spared->Gone());
}

}  // namespace
}  // namespace zerocts
