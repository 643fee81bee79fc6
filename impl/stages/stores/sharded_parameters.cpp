// Stage 3: a rank holds its shard, on the device or, offloaded, on the host. Whole parameters exist per sharding unit,
// in slots that are used in turn.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/stages/arrangement/slots.hpp"
#include "impl/stages/stores/parameter_store.hpp"

namespace zerocts::engine {
namespace {

class ShardedParameters : public ParameterStore {
 public:
  explicit ShardedParameters(const RankContext& context)
      : arrangement_(context.arrangement),
        offload_(context.offloads()),
        comm_(context.groups.shard),
        device_(context.device),
        streams_(context.streams),
        timeline_(context.timeline),
        shard_offsets_(BytesOfShardBuckets(arrangement_)),
        full_offsets_(BytesOfFullBuckets(arrangement_)),
        shard_(context.Allocate(offload_ ? BufferLocation::kHost : BufferLocation::kShardGroup, shard_offsets_.total(),
                                MemoryKind::kParameter)) {
    std::vector<int64_t> bytes;
    for (const ShardingUnit& unit : arrangement_.sharding_units) bytes.push_back(BytesOf(full_offsets_, unit));
    plan_ = PlanSlots(arrangement_.sharding_units, bytes);
    for (const int64_t slot_bytes : plan_.bytes) {
      slots_.push_back({context.Allocate(BufferLocation::kDevice, slot_bytes, MemoryKind::kBuffer), {}, {}, {}, -1});
    }
    if (!offload_) return;
    const std::vector<int64_t> parts = PartBytesOfSlots();
    for (size_t i = 0; i < parts.size(); ++i) {
      slots_[i].part = context.Allocate(BufferLocation::kShardGroup, parts[i], MemoryKind::kBuffer);
    }
  }

  void* Owned(const OwnedPiece& piece) const override {
    return shard_.as<std::byte>() + ShardByteOf(arrangement_, shard_offsets_, piece);
  }
  DeviceStream& home() const override { return offload_ ? *streams_.copy : *streams_.compute; }

  void AllGatherParameters(int) override { updated_ = home().Record(); }  // the next Unshard gathers them

  void Unshard(int unit) override {
    Slot& slot = SlotOf(unit);
    if (slot.unit == unit) return;
    if (slot.unit >= 0) {
      throw std::logic_error(fmt::format(
          "sharding unit {} needs the memory of sharding unit {}, which is not resharded", unit, slot.unit));
    }
    slot.unit = unit;

    DeviceStream& stream = *streams_.communication;
    stream.WaitFor(slot.released);
    stream.WaitFor(updated_);
    const std::byte* own = Source(unit, slot);
    const ShardingUnit& s = arrangement_.sharding_units[unit];
    for (int bucket = s.first_bucket; bucket < s.end_bucket; ++bucket) {
      timeline_.Span(*streams_.compute, stream, "all_gather", bucket, [&] {
        comm_.AllGather(slot.whole.as<std::byte>() + full_offsets_.begin(bucket) - full_offsets_.begin(s.first_bucket),
                        own + shard_offsets_.begin(bucket) - shard_offsets_.begin(s.first_bucket),
                        arrangement_.buckets[bucket].cuts,
                        static_cast<int>(ElementBytes(arrangement_.buckets[bucket].precision)), stream, "parameters");
      });
    }
    slot.gathered = stream.Record();
  }

  void AwaitUnsharded(int unit) override { streams_.compute->WaitFor(SlotOf(unit).gathered); }

  void Reshard(int unit) override {
    Slot& slot = SlotOf(unit);
    slot.released = streams_.compute->Record();
    slot.unit = -1;
  }

  const void* Whole(int parameter) const override {
    const int bucket = arrangement_.bucket_of_parameter[parameter];
    const int unit = arrangement_.sharding_unit_of_bucket[bucket];
    const int64_t passed = arrangement_.layout.offset[parameter] - arrangement_.buckets[bucket].flat_begin;
    return slots_[plan_.slot_of_unit[unit]].whole.as<std::byte>() + full_offsets_.begin(bucket) -
           full_offsets_.begin(arrangement_.sharding_units[unit].first_bucket) +
           passed * ElementBytes(arrangement_.buckets[bucket].precision);
  }

 private:
  struct Slot {
    Buffer whole;
    Buffer part;     // offload: this rank's part on the device, where peers find it
    Event gathered;  // the last gather into it has happened
    Event released;  // nobody computes with what stands here
    int unit;        // that stands here; -1: none
  };

  Slot& SlotOf(int unit) { return slots_[plan_.slot_of_unit[unit]]; }

  /// Counts the bytes of all buckets of a sharding unit, the gaps between them included.
  int64_t BytesOf(const BucketBytes& offsets, const ShardingUnit& unit) const {
    const int64_t end =
        unit.end_bucket < arrangement_.bucket_count() ? offsets.begin(unit.end_bucket) : offsets.total();
    return end - offsets.begin(unit.first_bucket);
  }

  std::vector<int64_t> PartBytesOfSlots() const {
    std::vector<int64_t> bytes(plan_.bytes.size());
    for (size_t s = 0; s < arrangement_.sharding_units.size(); ++s) {
      int64_t& largest = bytes[plan_.slot_of_unit[s]];
      largest = std::max(largest, BytesOf(shard_offsets_, arrangement_.sharding_units[s]));
    }
    return bytes;
  }

  /// Where peers find this rank's part of a sharding unit, for what is enqueued on the communication stream.
  const std::byte* Source(int unit, Slot& slot) {
    const std::byte* own =
        shard_.as<std::byte>() + shard_offsets_.begin(arrangement_.sharding_units[unit].first_bucket);
    if (!offload_) return own;
    streams_.copy->WaitFor(slot.gathered);  // by whom this part was read last
    device_.CopyFromHost(slot.part.as<void>(), own, BytesOf(shard_offsets_, arrangement_.sharding_units[unit]),
                         *streams_.copy);
    streams_.communication->WaitFor(streams_.copy->Record());
    return slot.part.as<std::byte>();
  }

  const Arrangement& arrangement_;
  const bool offload_;
  Communicator& comm_;
  Device& device_;
  Streams& streams_;
  Timeline& timeline_;
  const BucketBytes shard_offsets_, full_offsets_;
  const Buffer shard_;
  SlotPlan plan_;
  std::vector<Slot> slots_;
  Event updated_;  // by the optimizer
};

}  // namespace

std::unique_ptr<ParameterStore> MakeShardedParameters(const RankContext& context) {
  return std::make_unique<ShardedParameters>(context);
}

}  // namespace zerocts::engine
