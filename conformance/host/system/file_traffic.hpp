// What processes wrote to files and read from them, as the kernel counts.
#pragma once
#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "conformance/host/system/counted_memory.hpp"

namespace zerocts {

/// What may not be read joins `unread`.
FileTraffic FileTrafficOf(const std::vector<pid_t>& processes, std::set<std::string>& unread);

}  // namespace zerocts
