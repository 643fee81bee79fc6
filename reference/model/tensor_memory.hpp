// Where what a model makes of a micro-batch is kept: memory of the host, or of the device that its Ops compute on.
#pragma once
#include <cstdint>
#include <utility>

namespace zerocts {

class TensorMemory {
 public:
  virtual ~TensorMemory() = default;
  virtual void* Allocate(int64_t bytes) = 0;
  /// When nothing that is enqueued uses it any more: it is the caller who waits first.
  virtual void Free(void* memory) = 0;
  /// In the order of what Ops enqueue; `host` stays as it is until then.
  virtual void CopyFromHost(void* tensor, const void* host, int64_t bytes) = 0;
  /// Waits for what was enqueued, and for the copy.
  virtual void CopyToHost(void* host, const void* tensor, int64_t bytes) = 0;
};

TensorMemory& HostTensors();

/// Memory that grows with the largest micro-batch; what it holds is lost when it grows.
template <typename T>
class Tensor {
 public:
  Tensor() = default;
  ~Tensor() { Release(); }
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(values_, other.values_);
    std::swap(numel_, other.numel_);
    return *this;
  }

  /// At least `numel` elements, from the memory that it had first. Nothing that is enqueued may use it.
  T* Resize(TensorMemory& memory, int64_t numel) {
    if (numel > numel_ || !values_) {
      Release();
      memory_ = &memory;
      values_ = static_cast<T*>(memory.Allocate(numel * static_cast<int64_t>(sizeof(T))));
      numel_ = numel;
    }
    return values_;
  }
  T* data() const { return values_; }

 private:
  void Release() {
    if (values_) memory_->Free(std::exchange(values_, nullptr));
    numel_ = 0;
  }

  TensorMemory* memory_ = nullptr;
  T* values_ = nullptr;
  int64_t numel_ = 0;
};

}  // namespace zerocts
