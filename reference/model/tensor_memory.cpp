#include "reference/model/tensor_memory.hpp"

#include <cstring>
#include <new>

namespace zerocts {
namespace {

constexpr std::align_val_t kCacheLine{64};

class HostTensorMemory : public TensorMemory {
 public:
  void* Allocate(int64_t bytes) override { return ::operator new(static_cast<size_t>(bytes), kCacheLine); }
  void Free(void* memory) override { ::operator delete(memory, kCacheLine); }
  void CopyFromHost(void* tensor, const void* host, int64_t bytes) override {
    if (bytes > 0) std::memcpy(tensor, host, static_cast<size_t>(bytes));
  }
  void CopyToHost(void* host, const void* tensor, int64_t bytes) override {
    if (bytes > 0) std::memcpy(host, tensor, static_cast<size_t>(bytes));
  }
};

}  // namespace

TensorMemory& HostTensors() {
  static HostTensorMemory memory;
  return memory;
}

}  // namespace zerocts
