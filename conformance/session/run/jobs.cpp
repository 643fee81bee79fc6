#include "conformance/session/run/jobs.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace zerocts {

void RunTasks(int jobs, const std::vector<std::function<void()>>& tasks) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t task = next++; task < tasks.size(); task = next++) tasks[task]();
  };
  std::vector<std::jthread> others;
  for (size_t job = 1; job < std::min(static_cast<size_t>(jobs), tasks.size()); ++job) others.emplace_back(work);
  work();
}

}  // namespace zerocts
