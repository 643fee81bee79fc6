// Memory of this process alone, in huge pages where the system gives them: the best there is, for a bound.
#pragma once
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace zerocts {

/// Zeros. Those of one program begin at different offsets of a 4 KiB page, so that loops over several do not alias.
class HugeMemory {
 public:
  explicit HugeMemory(int64_t numel) : stagger_(taken_++ * kStagger % kPage) {
    bytes_ = static_cast<size_t>(numel) * sizeof(float) + 2 * kHugePage + kPage;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, bytes_, MADV_HUGEPAGE);
    std::memset(memory_, 0, bytes_);
  }
  ~HugeMemory() {
    if (memory_) munmap(memory_, bytes_);
  }
  HugeMemory(HugeMemory&& other) noexcept
      : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)), stagger_(other.stagger_) {}
  HugeMemory& operator=(HugeMemory&&) = delete;

  float* floats() const {
    const auto address = reinterpret_cast<uintptr_t>(memory_);
    return reinterpret_cast<float*>((address + kHugePage - 1) / kHugePage * kHugePage +
                                    static_cast<uintptr_t>(stagger_));
  }

 private:
  static constexpr int64_t kHugePage = int64_t{2} << 20;
  static constexpr int64_t kPage = 4096;
  /// Between one and the next: odd in lines, so that 32 in a row begin at 32 offsets.
  static constexpr int64_t kStagger = 9 * 128;
  static inline std::atomic<int64_t> taken_{0};

  size_t bytes_ = 0;
  void* memory_ = nullptr;
  int64_t stagger_ = 0;
};

}  // namespace zerocts
