// Which processes are a rank's.
#pragma once
#include <sys/types.h>

#include <vector>

namespace zerocts {

/// This one, and all that descend from it. Where its parent is a shim, which is the subreaper of the rank's processes:
/// all that descend from the shim, so that one that was forked twice is among them.
std::vector<pid_t> RankProcesses();

}  // namespace zerocts
