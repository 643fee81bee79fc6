// Stages 0 to 2: every rank holds all parameters, end to end in one flat buffer. In stages 1 and 2 the owners' parts
// are gathered, in place, after each step. With offload a rank's part has its home on the host, where it is updated,
// and comes back to the device before it is gathered.
#include "impl/comm/parts.hpp"
#include "impl/stages/stores/parameter_store.hpp"

namespace zerocts::engine {
namespace {

class ReplicatedParameters : public ParameterStore {
 public:
  explicit ReplicatedParameters(const RankContext& context)
      : arrangement_(context.arrangement),
        offload_(context.offloads()),
        comm_(context.groups.shard),
        device_(context.device),
        streams_(context.streams),
        timeline_(context.timeline),
        offsets_(BytesOfFullBuckets(arrangement_)),
        shard_offsets_(BytesOfShardBuckets(arrangement_)),
        whole_(context.Allocate(BufferLocation::kShardGroup, offsets_.total(), MemoryKind::kParameter)) {
    if (offload_) offloaded_ = context.Allocate(BufferLocation::kHost, shard_offsets_.total(), MemoryKind::kParameter);
  }

  void* Owned(const OwnedPiece& piece) const override {
    return offload_ ? offloaded_.as<std::byte>() + ShardByteOf(arrangement_, shard_offsets_, piece)
                    : At(piece.bucket, piece.flat_offset);
  }
  DeviceStream& home() const override { return offload_ ? *streams_.copy : *streams_.compute; }

  void AllGatherParameters(int bucket) override {
    if (!arrangement_.sharding.optimizer) return;  // every rank made the same update
    if (offload_) BringBack(bucket);
    DeviceStream& stream = *streams_.communication;
    stream.WaitFor(home().Record());
    timeline_.Span(*streams_.compute, stream, "all_gather", bucket, [&] {
      void* parameters = At(bucket, arrangement_.buckets[bucket].flat_begin);
      comm_.AllGather(parameters, parameters, arrangement_.buckets[bucket].cuts,
                      static_cast<int>(ElementBytes(arrangement_.buckets[bucket].precision)), stream, "parameters");
    });
    gathered_ = stream.Record();
  }

  void Unshard(int) override {}
  void AwaitUnsharded(int) override { streams_.compute->WaitFor(gathered_); }
  void Reshard(int) override {}

  const void* Whole(int parameter) const override {
    return At(arrangement_.bucket_of_parameter[parameter], arrangement_.layout.offset[parameter]);
  }

 private:
  /// This rank's part of a bucket, from the host to its offset among the whole parameters.
  void BringBack(int bucket) {
    const BucketOffsets& offsets = arrangement_.buckets[bucket];
    const int64_t element = ElementBytes(offsets.precision);
    streams_.copy->WaitFor(streams_.compute->Record());  // which computes with what stands there
    for (const Part& part : PartsOf(offsets.cuts, arrangement_.shard)) {
      device_.CopyFromHost(At(bucket, offsets.flat_begin + part.begin),
                           offloaded_.as<std::byte>() + shard_offsets_.begin(bucket) + part.packed * element,
                           part.numel * element, *streams_.copy);
    }
  }

  void* At(int bucket, int64_t flat_offset) const {
    const int64_t passed = flat_offset - arrangement_.buckets[bucket].flat_begin;
    return whole_.as<std::byte>() + offsets_.begin(bucket) +
           passed * ElementBytes(arrangement_.buckets[bucket].precision);
  }

  const Arrangement& arrangement_;
  const bool offload_;
  Communicator& comm_;
  Device& device_;
  Streams& streams_;
  Timeline& timeline_;
  const BucketBytes offsets_, shard_offsets_;
  const Buffer whole_;
  Buffer offloaded_;  // this rank's part
  Event gathered_;    // all buckets
};

}  // namespace

std::unique_ptr<ParameterStore> MakeReplicatedParameters(const RankContext& context) {
  return std::make_unique<ReplicatedParameters>(context);
}

}  // namespace zerocts::engine
