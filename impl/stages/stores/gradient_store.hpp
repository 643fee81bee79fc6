// The gradients of one step: micro-batches come in, one sharding unit at a time; the mean over all micro-batches of all
// ranks comes out, at least for what this rank owns. Which buffers there are is decided in gradient_buffers.hpp.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/rank/rank_context.hpp"
#include "impl/stages/stores/gradient_buffers.hpp"

namespace zerocts::engine {

class GradientStore {
 public:
  /// Collective.
  GradientStore(const RankContext& context, const GradientBuffers& plan);

  /// Where micro-batch k writes the gradients of a sharding unit, [flat_numel] as in the flat buffer; for what is
  /// enqueued on the compute stream before Finish. All ranks go through the sharding units in the same order.
  float* Begin(int unit, int k);
  /// They are written. Collective where ranks are added now.
  void Finish(int unit, int k);

  /// After the last micro-batch: enqueues what is left to do. `unscale` multiplies the mean. Collective.
  void CompleteMean(float unscale);

  /// The mean gradient of an owned piece, as fp32: for what is enqueued on the compute stream after CompleteMean, or,
  /// when it is on the host, on the copy stream.
  float* Mean(const OwnedPiece& piece) const;

 private:
  float* Area(int unit, int k) const;
  float Divisor() const { return settings_.sum_gradients ? 1.0f : micro_batches_; }  // of the sum over micro-batches
  bool AreaIsSent() const { return each_ || !keeps_unsharded_; }

  void Reduce(int unit, int k);
  void ReduceBucket(int bucket, int k, float* gradients);
  void StageOrAdd(int bucket, int k, float* sum);
  void FinishMean(int bucket, DeviceStream& stream) const;
  void GatherMean(float unscale);
  Reduction Over(const Communicator& group, const std::string& order, float divisor) const;

  const EngineSettings& settings_;
  const Arrangement& arrangement_;
  const Groups groups_;
  Device& device_;
  Streams& streams_;
  Timeline& timeline_;

  const float micro_batches_;                              // of all ranks
  const bool each_, keeps_unsharded_, narrow_, in_place_;  // as in GradientBuffers, like the buffers

  RunningSum unsharded_;
  SlotPlan slot_plan_;
  std::vector<Buffer> slots_;
  Buffer reduce_scatter_input_;
  RunningSum sharded_;
  Buffer reduce_scatter_output_;
  Buffer host_staging_;

  std::vector<Event> reduced_;  // [sharding_units]: ranks were added, the area may be used again
  Event staged_;                // offload: reduce_scatter_output_ may be used again
  std::vector<int> waiting_;    // sharding units whose reduction is still to be enqueued
};

}  // namespace zerocts::engine
