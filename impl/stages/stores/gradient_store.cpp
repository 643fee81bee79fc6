#include "impl/stages/stores/gradient_store.hpp"

#include <optional>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {
namespace {

std::vector<Buffer> AllocateAll(const RankContext& context, const std::vector<PlannedBuffer>& planned) {
  std::vector<Buffer> buffers;
  for (const auto& [location, bytes, kind] : planned) buffers.push_back(context.Allocate(location, bytes, kind));
  return buffers;
}

Buffer Allocate(const RankContext& context, const std::optional<PlannedBuffer>& planned) {
  return planned ? context.Allocate(planned->location, planned->bytes, planned->kind) : Buffer();
}

}  // namespace

GradientStore::GradientStore(const RankContext& context, const GradientBuffers& plan)
    : settings_(context.settings),
      arrangement_(context.arrangement),
      groups_(context.groups),
      device_(context.device),
      streams_(context.streams),
      timeline_(context.timeline),
      micro_batches_(static_cast<float>(arrangement_.data_ranks * settings_.micro_batches)),
      each_(plan.each),
      keeps_unsharded_(plan.keeps_unsharded),
      narrow_(plan.narrow),
      in_place_(plan.in_place),
      unsharded_(plan.unsharded_rule, AllocateAll(context, plan.unsharded)),
      slot_plan_(plan.slot_plan),
      slots_(AllocateAll(context, plan.slots)),
      reduce_scatter_input_(Allocate(context, plan.reduce_scatter_input)),
      sharded_(plan.sharded_rule, AllocateAll(context, plan.sharded)),
      reduce_scatter_output_(Allocate(context, plan.reduce_scatter_output)),
      host_staging_(Allocate(context, plan.host_staging)),
      reduced_(arrangement_.sharding_units.size()) {}

float* GradientStore::Area(int unit, int k) const {
  const bool in_unsharded = keeps_unsharded_ && (each_ || k == 0);
  return in_unsharded ? unsharded_.first() + arrangement_.sharding_units[unit].flat_begin
                      : slots_[slot_plan_.slot_of_unit[unit]].as<float>();
}

float* GradientStore::Begin(int unit, int k) {
  if (AreaIsSent()) {  // by the unit that used this memory before
    for (size_t other = 0; other < reduced_.size(); ++other) {
      const bool same_memory = keeps_unsharded_ ? static_cast<int>(other) == unit
                                                : slot_plan_.slot_of_unit[other] == slot_plan_.slot_of_unit[unit];
      if (same_memory) streams_.compute->WaitFor(reduced_[other]);
    }
  }
  return Area(unit, k);
}

void GradientStore::Finish(int unit, int k) {
  if (keeps_unsharded_) {
    const ShardingUnit& s = arrangement_.sharding_units[unit];
    unsharded_.Add(*streams_.compute, each_ ? 0 : k, Area(unit, k), s.flat_begin, s.flat_numel);
  } else if (!each_ && settings_.accumulation == Precision::kBf16) {
    streams_.compute->ops().RoundToBf16(Area(unit, k), arrangement_.sharding_units[unit].flat_numel);
  }
  if (!each_ && k + 1 < settings_.micro_batches) return;
  if (AreaIsSent() || settings_.overlap) return Reduce(unit, k);
  waiting_.push_back(unit);
}

void GradientStore::Reduce(int unit, int k) {
  const ShardingUnit& s = arrangement_.sharding_units[unit];
  streams_.communication->WaitFor(streams_.compute->Record());
  float* begin = keeps_unsharded_ ? unsharded_.total() + s.flat_begin : Area(unit, k);
  for (int bucket = s.first_bucket; bucket < s.end_bucket; ++bucket) {
    ReduceBucket(bucket, k, begin + (arrangement_.buckets[bucket].flat_begin - s.flat_begin));
  }
  reduced_[unit] = streams_.communication->Record();
}

Reduction GradientStore::Over(const Communicator& group, const std::string& order, float divisor) const {
  const int ranks = group.world_size();
  const Fold fold = order == "ring"   ? RingFold(ranks, 1, group.rank())
                    : order == "tree" ? TreeFold(ranks, 1)
                                      : RankFold(ranks, 1);
  return {narrow_ ? SumsKeptIn(Rounding::kFp32, Rounding::kBf16, fold, 1) : fold, divisor};
}

/// gradients: this rank's, of the whole bucket.
void GradientStore::ReduceBucket(int bucket, int k, float* gradients) {
  DeviceStream& stream = *streams_.communication;
  const BucketOffsets& offsets = arrangement_.buckets[bucket];
  const bool replicas = settings_.replicas > 1;
  const float divisor = each_ ? 1.0f : Divisor();

  void* sent = gradients;
  if (narrow_) {
    stream.ops().CastToBf16(reduce_scatter_input_.as<Bf16>(), gradients, offsets.flat_numel);
    sent = reduce_scatter_input_.as<void>();
  }
  float* sum = gradients;
  if (!in_place_) {
    const bool apart = settings_.offload == OffloadMode::kFull || (each_ && k > 0);
    sum = apart ? reduce_scatter_output_.as<float>() : sharded_.first() + offsets.shard_begin;
    stream.WaitFor(staged_);
  }
  const std::string& order = settings_.reduction_order;
  timeline_.Span(*streams_.compute, stream, "reduce_scatter", bucket, [&] {
    groups_.shard.ReduceScatter(sum, sent, offsets.cuts, Over(groups_.shard, order, replicas ? 1.0f : divisor),
                                narrow_ ? WireType::kBf16 : WireType::kFp32, stream, "gradients");
  });
  if (replicas) {
    timeline_.Span(*streams_.compute, stream, "all_reduce", bucket, [&] {
      // A ring's order would start at another replica in each part of the part, so replicas are added in rank order.
      AllReduce(groups_.replicate, sum, offsets.shard_numel,
                Over(groups_.replicate, order == "tree" ? "tree" : "rank", divisor), stream, "gradients of replicas");
    });
  }
  StageOrAdd(bucket, k, sum);
}

/// From the sum over ranks of this rank's part to the mean.
void GradientStore::StageOrAdd(int bucket, int k, float* sum) {
  const BucketOffsets& offsets = arrangement_.buckets[bucket];
  const bool full_offload = settings_.offload == OffloadMode::kFull;
  DeviceStream& stream = full_offload ? *streams_.copy : *streams_.communication;
  if (full_offload) {
    stream.WaitFor(streams_.communication->Record());
    device_.CopyToHost(host_staging_.as<float>(), sum, offsets.shard_numel * kFloatBytes, stream);
    staged_ = stream.Record();
    sum = host_staging_.as<float>();
  }
  if (each_ || full_offload) sharded_.Add(stream, each_ ? k : 0, sum, offsets.shard_begin, offsets.shard_numel);
  if (k + 1 == settings_.micro_batches) FinishMean(bucket, stream);
}

void GradientStore::FinishMean(int bucket, DeviceStream& stream) const {
  if (in_place_) return;
  const BucketOffsets& offsets = arrangement_.buckets[bucket];
  float* mean = sharded_.total() + offsets.shard_begin;
  if (each_) stream.ops().Divide(mean, Divisor(), offsets.shard_numel);
  if (narrow_) stream.ops().RoundToBf16(mean, offsets.shard_numel);
}

void GradientStore::CompleteMean(float unscale) {
  for (const int unit : waiting_) Reduce(unit, settings_.micro_batches - 1);
  waiting_.clear();

  const Layout& layout = arrangement_.layout;
  const bool on_host = settings_.offload != OffloadMode::kNone;
  DeviceStream& stream = on_host ? *streams_.copy : *streams_.communication;
  if (on_host) stream.WaitFor(streams_.communication->Record());
  if (settings_.offload == OffloadMode::kParams) {
    device_.CopyToHost(host_staging_.as<float>(), sharded_.total(),
                       layout.shard_numel(arrangement_.shard) * kFloatBytes, stream);
  }
  if (!arrangement_.sharding.optimizer) {
    GatherMean(unscale);
  } else if (unscale != 1.0f) {
    for (const OwnedPiece& piece : arrangement_.owned) stream.ops().Scale(Mean(piece), unscale, piece.numel());
  }
  if (!on_host) streams_.compute->WaitFor(streams_.communication->Record());
}

/// Stage 0: every rank makes every update, so it needs the whole mean.
void GradientStore::GatherMean(float unscale) {
  DeviceStream& stream = *streams_.communication;
  for (int bucket = 0; bucket < arrangement_.bucket_count(); ++bucket) {
    const BucketOffsets& offsets = arrangement_.buckets[bucket];
    float* unsharded = unsharded_.total() + offsets.flat_begin;
    int64_t passed = 0;
    for (const auto& cut : offsets.cuts) {
      const int64_t begin = cut[arrangement_.shard], numel = cut[arrangement_.shard + 1] - begin;
      if (!in_place_) {
        const float* part = sharded_.total() + offsets.shard_begin + passed;
        stream.ops().Copy(unsharded + begin, part, numel * kFloatBytes);
      }
      if (unscale != 1.0f) stream.ops().Scale(unsharded + begin, unscale, numel);
      passed += numel;
    }
    timeline_.Span(*streams_.compute, stream, "all_gather", bucket, [&] {
      groups_.shard.AllGather(unsharded, unsharded, offsets.cuts, kFloatBytes, stream, "gradients");
    });
  }
}

float* GradientStore::Mean(const OwnedPiece& piece) const {
  if (in_place_ || !arrangement_.sharding.optimizer) return unsharded_.total() + piece.flat_offset;
  const bool staged = settings_.offload == OffloadMode::kParams;
  return (staged ? host_staging_.as<float>() : sharded_.total()) + piece.shard_offset;
}

}  // namespace zerocts::engine
