// The norm of the mean gradient over all shards and tensor ranks, each element once, exact, hence the same bits on
// every rank.
#pragma once
#include <functional>

#include "impl/stages/rank_context.hpp"
#include "reference/optim/clipping.hpp"

namespace zerocts::engine {

class NormOverShards {
 public:
  explicit NormOverShards(const RankContext& context);

  /// mean(piece): where an owned piece of the mean gradient stands, for what is enqueued on `stream`. Collective over
  /// the sharding group and the tensor ranks; waits.
  float Compute(const std::function<const float*(const OwnedPiece&)>& mean, DeviceStream& stream,
                DeviceStream& communication) const;

 private:
  const NormKind kind_;
  const Arrangement& arrangement_;
  Communicator &comm_, &tensor_ranks_;
  DeviceStream& compute_;
  Device& device_;
  const bool on_host_;
  const Buffer accumulator_;  // one SumOfSquares or SumOfMagnitudes, where the gradients are
};

}  // namespace zerocts::engine
