#include "conformance/host/system/process_state.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace zerocts {
namespace {

TEST(ProcessState, OfOneThatGoesWhileItIsReadIsNothing) {
  std::atomic<pid_t> child = 0;
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      if (child > 0) StatOf(child);
    }
  });
  for (int again = 0; again < 2000; ++again) {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    child = pid;
    waitpid(pid, nullptr, 0);
  }
  done = true;
  reader.join();
  EXPECT_FALSE(StatOf(child));
  EXPECT_EQ(ProcessStateText(child), "dead");
  EXPECT_EQ(StatOf(getpid())->parent, getppid());
}

}  // namespace
}  // namespace zerocts
