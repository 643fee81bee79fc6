// What a process holds in memory, as the kernel counts.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>

namespace zerocts {

/// As ProcessCount::memory_bytes says (counted_memory.hpp). 0 for a process that has just ended; what may not be read
/// joins `unread`.
uint64_t MemoryOf(pid_t process, std::set<std::string>& unread);

}  // namespace zerocts
