// Memory of this process alone, in huge pages where the system gives them: the best there is, for a bound.
#pragma once
#include <cstddef>
#include <cstdint>

namespace zerocts {

/// Zeros. Those of one program begin at different offsets of a 4 KiB page, so that loops over several do not alias.
class HugeMemory {
 public:
  explicit HugeMemory(int64_t numel);
  ~HugeMemory();
  HugeMemory(HugeMemory&& other) noexcept;
  HugeMemory& operator=(HugeMemory&&) = delete;

  float* floats() const;

 private:
  size_t bytes_ = 0;
  void* memory_ = nullptr;
  int64_t stagger_ = 0;
};

}  // namespace zerocts
