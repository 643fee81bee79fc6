// Work side by side: several threads take what comes next until all is done.
#pragma once
#include <functional>
#include <vector>

namespace zerocts {

/// One job: in their order, by the calling thread. Tasks do not throw.
void RunTasks(int jobs, const std::vector<std::function<void()>>& tasks);

}  // namespace zerocts
