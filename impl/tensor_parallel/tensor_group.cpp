#include "impl/tensor_parallel/tensor_group.hpp"

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

float* TensorGroup::Window(int64_t numel) {
  const int64_t bytes = numel * kFloatBytes;
  if (!window_ || bytes > window_.bytes()) {
    stream_.Synchronize();
    window_ = Buffer();  // before there is another one
    window_ = Buffer::OfCommunicator(comm_, bytes, MemoryKind::kBuffer, ledger_);
  }
  return window_.as<float>();
}

float* TensorGroup::Gathered(TensorMemory& memory, int64_t numel) {
  if (numel > gathered_numel_) {
    stream_.Synchronize();
    gathered_numel_ = numel;
  }
  return gathered_.Resize(memory, numel);
}

void TensorGroup::Gather(float* full, const float* own, const Cuts& cuts, const char* what) {
  comm_.AllGather(full, own, cuts, sizeof(float), stream_, what);
}

void TensorGroup::Exchange(float* out, float* full, const Cuts& cuts, const char* what) {
  comm_.AllToAll(out, full, cuts, stream_, what);
}

void TensorGroup::Sum(Ops& ops, float* inout, int64_t numel, const char* what) {
  float* window = Window(numel);
  ops.Copy(window, inout, numel * kFloatBytes);
  AllReduce(comm_, window, numel, {RankFold(size(), 1)}, stream_, what);
  ops.Copy(inout, window, numel * kFloatBytes);
}

}  // namespace zerocts::engine
