#include "impl/comm/huge_pages.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace zerocts::engine {
namespace {

constexpr int kMadvCollapse = 25;  // MADV_COLLAPSE of Linux 6.1, which older headers lack; older kernels refuse it

void Advise(void* memory, int64_t bytes, int advice) {
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + kHugePage - 1) / kHugePage * kHugePage;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + static_cast<uintptr_t>(bytes)) / kHugePage * kHugePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

void AdviseHugePages(void* memory, int64_t bytes) { Advise(memory, bytes, MADV_HUGEPAGE); }

void JoinIntoHugePages(void* memory, int64_t bytes) { Advise(memory, bytes, kMadvCollapse); }

}  // namespace zerocts::engine
