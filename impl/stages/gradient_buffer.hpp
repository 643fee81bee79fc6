// The gradients of one step: this rank's micro-batches are summed in fp32, then the sums of all ranks become the mean
// gradient, in place.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/buffer.hpp"
#include "impl/stages/shard.hpp"

namespace zerocts {

class GradientBuffer {
 public:
  /// Collective.
  GradientBuffer(Communicator& comm, DeviceStream& stream, const Layout& layout, MemoryLedger& ledger);

  /// Adds the gradient of one micro-batch for elements [begin, begin + count) of parameter p. Micro-batch 0 begins the
  /// sum: it replaces.
  void Accumulate(int micro_batch, int p, int64_t begin, const float* values, int64_t count);

  /// This rank's sums -> in this rank's shard: the sum over all ranks, divided by `divisor`. The other shards hold
  /// nothing useful then. `order`: "rank" or "ring". Collective.
  void ReduceScatter(const std::string& order, float divisor);
  /// Every rank's shard to every rank. Collective.
  void AllGather();

  float* data() const { return buffer_.as<float>(); }  // [padded_numel]
  float* parameter(int p) const { return data() + layout_.offset[p]; }

 private:
  Communicator& comm_;
  DeviceStream& stream_;
  const Layout& layout_;
  Buffer buffer_;
};

}  // namespace zerocts
