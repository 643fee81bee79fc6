// The compute parameters: what the optimizer writes and what forward and backward read, each in its precision. Two
// kinds: every rank holds all of them (stages 0 to 2), or its shard (stage 3).
#pragma once
#include <memory>
#include <vector>

#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

class ParameterStore {
 public:
  virtual ~ParameterStore() = default;

  /// Where an owned piece stands, in its precision: what the optimizer writes, on home().
  virtual void* Owned(const OwnedPiece& piece) const = 0;
  /// The stream on which owned pieces are read and written; their memory is the host's when they are offloaded.
  virtual DeviceStream& home() const = 0;

  /// The owned pieces of a bucket have new values, enqueued on home(): ranks that need them get them, now or, where
  /// parameters are sharded, in the next Unshard. Collective.
  virtual void AllGatherParameters(int bucket) = 0;

  /// From here on until Reshard the sharding unit's parameters are whole, for what is enqueued on the compute stream
  /// after AwaitUnsharded. Collective; does nothing when they are already.
  /// `unit`: an index of Arrangement::sharding_units.
  virtual void Unshard(int unit) = 0;
  virtual void AwaitUnsharded(int unit) = 0;
  virtual void Reshard(int unit) = 0;

  /// A whole parameter of an unsharded sharding unit, in its precision.
  virtual const void* Whole(int parameter) const = 0;
};

// All collective.
std::unique_ptr<ParameterStore> MakeReplicatedParameters(const RankContext& context);
std::unique_ptr<ParameterStore> MakeShardedParameters(const RankContext& context);

}  // namespace zerocts::engine
