// Stages 0 to 2: every rank holds all parameters, end to end in one flat buffer. In stages 1 and 2 the owners' parts
// are gathered, in place, after each step.
#include "impl/stages/parameter_store.hpp"

namespace zerocts {
namespace {

class ReplicatedParameters : public ParameterStore {
 public:
  ReplicatedParameters(const Arrangement& arrangement, Communicator& shard_group, Device&, Streams& streams,
                       Timeline& timeline, MemoryLedger& ledger)
      : arrangement_(arrangement),
        comm_(shard_group),
        streams_(streams),
        timeline_(timeline),
        places_(BytesOfFullBuckets(arrangement)),
        whole_(Buffer::OfCommunicator(shard_group, places_.total(), MemoryKind::kParameter, ledger)) {}

  void* Owned(const OwnedPiece& piece) const override { return At(piece.bucket, piece.flat_offset); }
  DeviceStream& home() const override { return *streams_.compute; }

  void Publish(int bucket) override {
    if (!arrangement_.sharding.optimizer) return;  // every rank made the same update
    DeviceStream& stream = *streams_.communication;
    stream.WaitFor(streams_.compute->Record());
    timeline_.Span(*streams_.compute, stream, "all_gather", bucket, [&] {
      void* parameters = At(bucket, arrangement_.buckets[bucket].flat_begin);
      comm_.AllGather(parameters, parameters, arrangement_.buckets[bucket].cuts,
                      static_cast<int>(ElementBytes(arrangement_.buckets[bucket].precision)), stream, "parameters");
    });
    published_ = stream.Record();
  }

  void Unshard(int) override {}
  void AwaitUnsharded(int) override { streams_.compute->WaitFor(published_); }
  void Reshard(int) override {}

  const void* Whole(int parameter) const override {
    return At(arrangement_.bucket_of_parameter[parameter], arrangement_.layout.offset[parameter]);
  }

 private:
  void* At(int bucket, int64_t flat_offset) const {
    const int64_t passed = flat_offset - arrangement_.buckets[bucket].flat_begin;
    return whole_.as<std::byte>() + places_.begin(bucket) +
           passed * ElementBytes(arrangement_.buckets[bucket].precision);
  }

  const Arrangement& arrangement_;
  Communicator& comm_;
  Streams& streams_;
  Timeline& timeline_;
  const BucketBytes places_;
  const Buffer whole_;
  Event published_;  // all buckets
};

}  // namespace

std::unique_ptr<ParameterStore> MakeReplicatedParameters(const Arrangement& arrangement, Communicator& shard_group,
                                                         Device& device, Streams& streams, Timeline& timeline,
                                                         MemoryLedger& ledger) {
  return std::make_unique<ReplicatedParameters>(arrangement, shard_group, device, streams, timeline, ledger);
}

}  // namespace zerocts
