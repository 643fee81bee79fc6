#include "conformance/session/run/lanes.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace zerocts {

void RunInLanes(int lanes, const std::vector<std::function<void()>>& tasks) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t task = next++; task < tasks.size(); task = next++) tasks[task]();
  };
  std::vector<std::jthread> others;
  for (size_t lane = 1; lane < std::min(static_cast<size_t>(lanes), tasks.size()); ++lane) others.emplace_back(work);
  work();
}

}  // namespace zerocts
