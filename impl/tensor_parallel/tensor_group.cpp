#include "impl/tensor_parallel/tensor_group.hpp"

#include <utility>

namespace zerocts::engine {

TensorGroup::~TensorGroup() {
  if (window_) comm_.Free(window_);
}

float* TensorGroup::Window(int64_t numel) {
  if (!window_ || numel > window_numel_) {
    stream_.Synchronize();
    if (window_) comm_.Free(std::exchange(window_, nullptr));
    window_ = comm_.Allocate(numel * static_cast<int64_t>(sizeof(float)), MemoryKind::kBuffer);
    window_numel_ = numel;
  }
  return static_cast<float*>(window_);
}

void TensorGroup::Gather(float* full, const float* own, const Cuts& cuts, const char* what) {
  comm_.AllGather(full, own, cuts, sizeof(float), stream_, what);
}

}  // namespace zerocts::engine
