#include <fmt/format.h>
#include <malloc.h>

#include "conformance/host/system/descendant_process.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {
namespace {

constexpr int kMappedAlone = 128 << 10;  // bytes

std::optional<int64_t> CountedOf(const std::string& process) {
  return FindBytes(fmt::format("/proc/{}/smaps_rollup", process), {"Anonymous", "Pss_Shmem", "Swap"});
}

}  // namespace

std::optional<uint64_t> CountedBytes() {
  mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  malloc_trim(0);
  std::optional<int64_t> bytes = CountedOf("self");
  if (!bytes) return std::nullopt;
  for (const DescendantProcess& child : Descendants()) {
    *bytes += CountedOf(std::to_string(child.pid())).value_or(0);  // none: it has just ended
  }
  return static_cast<uint64_t>(*bytes);
}

}  // namespace zerocts
