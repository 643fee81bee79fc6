// The norm of the mean gradient over all shards and tensor ranks, each element once, exact, hence the same bits on
// every rank.
#pragma once
#include <functional>

#include "impl/stages/stores/home_copies.hpp"
#include "reference/optim/clipping.hpp"

namespace zerocts::engine {

/// One of the two is used, as the kind of norm says.
struct GradientSums {
  SumOfSquares squares;
  SumOfMagnitudes magnitudes;
};
float NormOf(NormKind kind, const GradientSums& sums);

class NormOverShards {
 public:
  explicit NormOverShards(const RankContext& context);

  /// Adds the mean gradients of all parameters of this class. mean(piece): where an owned piece of the mean gradient
  /// stands, for what is enqueued on `stream`. Collective over the sharding group and the tensor ranks; waits.
  void AddTo(GradientSums& sums, const std::function<const float*(const OwnedPiece&)>& mean, DeviceStream& stream,
             DeviceStream& communication) const;

 private:
  const NormKind kind_;
  const Arrangement& arrangement_;
  Communicator &comm_, &tensor_ranks_;
  DeviceStream& compute_;
  const HomeCopies copies_;
  const Buffer accumulator_;  // one SumOfSquares or SumOfMagnitudes, where the gradients are
};

}  // namespace zerocts::engine
