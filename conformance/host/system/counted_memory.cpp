#include "conformance/host/system/counted_memory.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include "conformance/host/system/file_traffic.hpp"
#include "conformance/host/system/mapped_memory.hpp"

namespace zerocts {
namespace {

constexpr int kMappedAlone = 128 << 10;  // bytes

}  // namespace

std::optional<ProcessCount> CountProcesses(const std::vector<pid_t>& processes) {
  mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  malloc_trim(0);
  ProcessCount count;
  count.before = FileTrafficOf(processes, count.unread);
  for (const pid_t process : processes) count.memory_bytes += MemoryOf(process, count.unread);
  count.after = FileTrafficOf(processes, count.unread);
  return count;
}

}  // namespace zerocts
