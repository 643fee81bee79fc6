// The gradients of one step: micro-batches come in section by section, the mean over all micro-batches of all ranks
// comes out, at least for what this rank owns. Where whole gradients are kept between micro-batches (stages 0 and 1,
// and an accumulation window at whose end only ranks meet) and where they exist section by section (stages 2 and 3) is
// decided here.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/arrangement.hpp"
#include "impl/stages/buffer.hpp"
#include "impl/stages/running_sum.hpp"
#include "impl/stages/slots.hpp"
#include "impl/stages/streams.hpp"
#include "impl/stages/timeline.hpp"

namespace zerocts::engine {

/// The ranks that this one meets: those that it shards with, and those that hold the same shard in other replicas.
struct Groups {
  Communicator& shard;
  Communicator& replicate;
};

class GradientStore {
 public:
  /// Collective.
  GradientStore(const EngineSettings& settings, const Arrangement& arrangement, Groups groups, Device& device,
                Streams& streams, Timeline& timeline, MemoryLedger& ledger);

  /// Where micro-batch k writes the gradients of a section, [flat_numel] as in the flat buffer; for what is enqueued on
  /// the compute stream before Finish. All ranks go through the sections in the same order.
  float* Begin(int section, int k);
  /// They are written. Collective where ranks are added now.
  void Finish(int section, int k);

  /// After the last micro-batch: enqueues what is left to do. `unscale` multiplies the mean. Collective.
  void CompleteMean(float unscale);

  /// The mean gradient of an owned piece, as fp32: for what is enqueued on the compute stream after CompleteMean, or,
  /// when it is on the host, on the copy stream.
  float* Mean(const OwnedPiece& piece) const;

 private:
  float* Area(int section, int k) const;
  bool AreaIsSent() const { return each_ || !keeps_whole_; }

  void Reduce(int section, int k);
  void ReduceBucket(int bucket, int k, float* gradients);
  void Land(int bucket, int k, float* sum);
  void FinishMean(int bucket, DeviceStream& stream) const;
  void GatherMean(float unscale);
  Reduction Over(const Communicator& group, const std::string& order, float divisor) const;

  const EngineSettings& settings_;
  const Arrangement& arrangement_;
  const Groups groups_;
  Device& device_;
  Streams& streams_;
  Timeline& timeline_;

  const float micro_batches_;  // of all ranks
  const bool each_;            // ranks are added after every micro-batch
  const bool keeps_whole_;     // this rank's gradients stand in whole_ while they wait for the other ranks
  const bool narrow_;          // bf16 travels
  const bool in_place_;        // the mean stands in whole_ too

  RunningSum whole_;  // [padded_numel]
  SlotPlan slot_plan_;
  std::vector<Buffer> slots_;  // one micro-batch of a section, apart from whole_
  Buffer wire_;                // bf16: a bucket on its way
  Buffer incoming_;            // the sum over ranks of a part, before it is added or goes to the host
  RunningSum mean_;            // [shard_numel], unless in_place_
  Buffer landing_;             // offload: the mean (Params), or a part on its way to it (Full), on the host

  std::vector<Event> reduced_;  // [sections]: ranks were added, the area may be used again
  Event landed_;                // offload: incoming_ may be used again
  std::vector<int> waiting_;    // sections whose reduction is still to be enqueued
};

}  // namespace zerocts::engine
