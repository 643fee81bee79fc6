#include "conformance/session/run/jobs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace zerocts {
namespace {

TEST(Jobs, OneKeepsTheOrder) {
  std::vector<int> done;
  RunTasks(1, {[&] { done.push_back(0); }, [&] { done.push_back(1); }, [&] { done.push_back(2); }});
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
}

TEST(Jobs, SeveralWorkAtOnceAndAllIsDoneAtTheEnd) {
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0, met = 0, done = 0;
  const auto meet = [&] {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    met += changed.wait_for(lock, std::chrono::seconds(20), [&] { return inside >= 2; });
    ++done;
  };
  RunTasks(2, {meet, meet, meet});
  EXPECT_EQ(met, 3);
  EXPECT_EQ(done, 3);
}

TEST(Jobs, NothingToDoIsDone) { RunTasks(4, {}); }

}  // namespace
}  // namespace zerocts
