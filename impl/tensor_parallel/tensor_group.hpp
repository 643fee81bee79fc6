// The ranks that split layers among themselves, and the collectives with which they do it.
#pragma once
#include <cstdint>

#include "impl/comm/buffer.hpp"
#include "impl/comm/communicator.hpp"
#include "reference/model/slice_order.hpp"
#include "reference/model/tensor_memory.hpp"

namespace zerocts::engine {

/// One rank's end. All ranks of the group make the same layers, and call them in the same order with batches of the
/// same size.
class TensorGroup {
 public:
  /// `stream`: on which the layers compute; their collectives go there. `ledger`: counts the window. It is who destroys
  /// the group that waits first, for all that uses the window.
  TensorGroup(Communicator& comm, DeviceStream& stream, MemoryLedger& ledger)
      : comm_(comm), stream_(stream), ledger_(ledger) {}
  TensorGroup(const TensorGroup&) = delete;
  TensorGroup& operator=(const TensorGroup&) = delete;

  int rank() const { return comm_.rank(); }
  int size() const { return comm_.world_size(); }

  /// What this rank has of m elements that are split.
  IndexRange OwnOf(int64_t m) const { return PartOfElements(m, rank(), size()); }

  /// [numel] that other ranks may read during Gather, Exchange and Sum; as many on every rank. There is one for all
  /// layers: what stands there is lost with the next call. Collective where it grows; then it waits.
  float* Window(int64_t numel);

  /// [numel] of `memory`, for what a layer gathers and uses at once. There is one for all layers too. It waits where it
  /// grows.
  float* Gathered(TensorMemory& memory, int64_t numel);

  /// Every rank's parts to every rank. `own`, in the window: this rank's parts one after the other, or `full` itself
  /// when they are there already.
  void Gather(float* full, const float* own, const Cuts& cuts, const char* what);

  /// Every rank's `full` to the ranks whose parts it has: this rank's parts from rank r on from
  /// `out` + r * their numel. `full` is in the window.
  void Exchange(float* out, float* full, const Cuts& cuts, const char* what);

  /// In place, in the order of the ranks; through the window.
  void Sum(Ops& ops, float* inout, int64_t numel, const char* what);

 private:
  Communicator& comm_;
  DeviceStream& stream_;
  MemoryLedger& ledger_;
  Buffer window_;
  int64_t gathered_numel_ = 0;
  Tensor<float> gathered_;
};

}  // namespace zerocts::engine
