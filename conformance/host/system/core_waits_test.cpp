#include "conformance/host/system/core_waits.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace zerocts {
namespace {

using namespace std::chrono_literals;

void KeepToOneCore() {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  int core = 0;
  while (!CPU_ISSET(core, &all)) ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void WorkFor(std::chrono::nanoseconds time_of_core) {
  timespec begin{}, now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (std::chrono::seconds(now.tv_sec - begin.tv_sec) + std::chrono::nanoseconds(now.tv_nsec - begin.tv_nsec) <
           time_of_core);
}

/// Two processes work 200 ms each on one core, so each waits for the other.
TEST(CoreWaits, AreOfThreadsThatOthersKeepFromTheirCore) {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) GTEST_SKIP() << "the kernel does not count waits";
  const pid_t other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    KeepToOneCore();
    WorkFor(1h);
  }
  int status = 0;
  const pid_t measured = fork();  // whose core is its own affair
  if (measured == 0) {
    KeepToOneCore();
    CoreWaits own, of_other;
    const bool nothing_yet = own.LongestOf({}) == 0ns && of_other.LongestOf({other}) == 0ns;
    WorkFor(200ms);
    _exit(nothing_yet && own.LongestOf({}) > 50ms && of_other.LongestOf({other}) > 50ms ? 0 : 1);
  }
  waitpid(measured, &status, 0);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  EXPECT_EQ(status, 0);
}

TEST(CoreWaits, OfAProcessThatIsGoneAreNone) {
  CoreWaits waits;
  EXPECT_EQ(waits.LongestOf({-1}), 0ns);
}

}  // namespace
}  // namespace zerocts
