#include "bench/bounds/huge_memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <new>
#include <utility>

namespace zerocts {
namespace {

constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kPage = 4096;
constexpr int64_t kStagger = 9 * 128;  // of one after the other: odd in lines, so that 32 in a row begin at 32 offsets

std::atomic<int64_t> taken{0};

}  // namespace

HugeMemory::HugeMemory(int64_t numel) : stagger_(taken++ * kStagger % kPage) {
  bytes_ = static_cast<size_t>(numel) * sizeof(float) + 2 * kHugePage + kPage;
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  madvise(memory_, bytes_, MADV_HUGEPAGE);
  std::memset(memory_, 0, bytes_);
}

HugeMemory::~HugeMemory() {
  if (memory_) munmap(memory_, bytes_);
}

HugeMemory::HugeMemory(HugeMemory&& other) noexcept
    : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)), stagger_(other.stagger_) {}

float* HugeMemory::floats() const {
  const auto address = reinterpret_cast<uintptr_t>(memory_);
  return reinterpret_cast<float*>((address + kHugePage - 1) / kHugePage * kHugePage + static_cast<uintptr_t>(stagger_));
}

}  // namespace zerocts
