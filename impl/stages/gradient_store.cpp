#include "impl/stages/gradient_store.hpp"

#include <algorithm>
#include <functional>

namespace zerocts::engine {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);
constexpr int64_t kBf16Bytes = sizeof(Bf16);

std::vector<Buffer> Levels(int count, const std::function<Buffer()>& allocate) {
  std::vector<Buffer> levels;
  for (int i = 0; i < count; ++i) levels.push_back(allocate());
  return levels;
}

/// Of a field of all buckets.
int64_t Largest(const Arrangement& arrangement, int64_t BucketPlace::*numel) {
  int64_t largest = 0;
  for (const BucketPlace& bucket : arrangement.buckets) largest = std::max(largest, bucket.*numel);
  return largest;
}

}  // namespace

GradientStore::GradientStore(const EngineSettings& settings, const Arrangement& arrangement, Groups groups,
                             Device& device, Streams& streams, Timeline& timeline, MemoryLedger& ledger)
    : settings_(settings),
      arrangement_(arrangement),
      groups_(groups),
      device_(device),
      streams_(streams),
      timeline_(timeline),
      micro_batches_(static_cast<float>(arrangement.mesh.world_size() * settings.micro_batches)),
      each_(settings.gradient_sync == GradientSync::kEach),
      keeps_whole_(!arrangement.sharding.gradients || (!each_ && settings.micro_batches > 1)),
      narrow_(settings.reduction == Precision::kBf16),
      in_place_(keeps_whole_ && !narrow_ && !each_ && settings.replicas == 1 && settings.offload == OffloadMode::kNone),
      reduced_(arrangement.sections.size()) {
  const Layout& layout = arrangement.layout;
  const int K = settings.micro_batches;
  const bool tree = settings.reduction_order == "tree";
  const auto on_device = [&](int64_t numel, MemoryKind kind) {
    return Buffer::OfDevice(device, numel * kFloatBytes, kind, ledger);
  };
  const auto for_shard_group = [&](int64_t bytes, MemoryKind kind) {
    return Buffer::OfCommunicator(groups.shard, bytes, kind, ledger);
  };
  const auto sent = [&](int64_t numel, MemoryKind kind) {  // bf16 is sent from wire_
    return narrow_ && arrangement.sharding.optimizer ? on_device(numel, kind)
                                                     : for_shard_group(numel * kFloatBytes, kind);
  };

  if (keeps_whole_) {
    // The levels of a tree but the last never travel; they are windows all the same, which costs nothing.
    const SumRule rule{each_ ? 1 : K, tree, each_ ? Precision::kFp32 : settings.accumulation};
    whole_ =
        RunningSum(rule, Levels(rule.levels(), [&] { return sent(layout.padded_numel(), MemoryKind::kGradient); }));
  }
  if (!keeps_whole_ || (!each_ && K > 1)) {
    std::vector<int64_t> bytes;
    for (const Section& section : arrangement.sections) bytes.push_back(section.flat_numel * kFloatBytes);
    slot_plan_ = PlanSlots(arrangement.sections, bytes);
    for (const int64_t slot_bytes : slot_plan_.bytes) {
      slots_.push_back(AreaIsSent() ? sent(slot_bytes / kFloatBytes, MemoryKind::kBuffer)
                                    : on_device(slot_bytes / kFloatBytes, MemoryKind::kBuffer));
    }
  }
  if (narrow_) {
    wire_ = for_shard_group(kBf16Bytes * Largest(arrangement, &BucketPlace::flat_numel), MemoryKind::kBuffer);
  }
  if (in_place_) return;

  const bool full_offload = settings.offload == OffloadMode::kFull;
  const int64_t shard_numel = layout.shard_numel(arrangement.shard);
  const int64_t largest_part = Largest(arrangement, &BucketPlace::shard_numel);
  const auto summed = [&](int64_t numel, MemoryKind kind) {  // replicas are added where the sum stands
    return settings.replicas > 1 ? Buffer::OfCommunicator(groups.replicate, numel * kFloatBytes, kind, ledger)
                                 : on_device(numel, kind);
  };
  const auto on_host = [&](int64_t numel, MemoryKind kind) {
    return Buffer::OfHost(device, numel * kFloatBytes, kind, ledger);
  };
  const SumRule rule{each_ ? K : 1, false, each_ ? settings.accumulation : Precision::kFp32};  // one after the other
  mean_ = RunningSum(rule, Levels(rule.levels(), [&] {
                       return full_offload ? on_host(shard_numel, MemoryKind::kGradient)
                                           : summed(shard_numel, MemoryKind::kGradient);
                     }));
  if (full_offload || (each_ && K > 1)) incoming_ = summed(largest_part, MemoryKind::kBuffer);
  if (full_offload) landing_ = on_host(largest_part, MemoryKind::kBuffer);
  if (settings.offload == OffloadMode::kParams) landing_ = on_host(shard_numel, MemoryKind::kBuffer);
}

float* GradientStore::Area(int section, int k) const {
  const bool in_whole = keeps_whole_ && (each_ || k == 0);
  return in_whole ? whole_.first() + arrangement_.sections[section].flat_begin
                  : slots_[slot_plan_.slot_of_section[section]].as<float>();
}

float* GradientStore::Begin(int section, int k) {
  if (AreaIsSent()) {  // by whoever used this memory before
    for (size_t other = 0; other < reduced_.size(); ++other) {
      const bool same_memory = keeps_whole_ ? static_cast<int>(other) == section
                                            : slot_plan_.slot_of_section[other] == slot_plan_.slot_of_section[section];
      if (same_memory) streams_.compute->WaitFor(reduced_[other]);
    }
  }
  return Area(section, k);
}

void GradientStore::Finish(int section, int k) {
  if (keeps_whole_) {
    const Section& s = arrangement_.sections[section];
    whole_.Add(*streams_.compute, each_ ? 0 : k, Area(section, k), s.flat_begin, s.flat_numel);
  } else if (!each_ && settings_.accumulation == Precision::kBf16) {
    streams_.compute->ops().RoundToBf16(Area(section, k), arrangement_.sections[section].flat_numel);
  }
  if (!each_ && k + 1 < settings_.micro_batches) return;
  if (AreaIsSent() || settings_.overlap) return Reduce(section, k);
  waiting_.push_back(section);
}

void GradientStore::Reduce(int section, int k) {
  const Section& s = arrangement_.sections[section];
  streams_.communication->WaitFor(streams_.compute->Record());
  float* begin = keeps_whole_ ? whole_.total() + s.flat_begin : Area(section, k);
  for (int bucket = s.first_bucket; bucket < s.end_bucket; ++bucket) {
    ReduceBucket(bucket, k, begin + (arrangement_.buckets[bucket].flat_begin - s.flat_begin));
  }
  reduced_[section] = streams_.communication->Record();
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
  const BucketPlace& place = arrangement_.buckets[bucket];
  const bool replicas = settings_.replicas > 1;
  const float divisor = each_ ? 1.0f : micro_batches_;

  void* sent = gradients;
  if (narrow_) {
    stream.ops().CastToBf16(wire_.as<Bf16>(), gradients, place.flat_numel);
    sent = wire_.as<void>();
  }
  float* sum = gradients;
  if (!in_place_) {
    const bool apart = settings_.offload == OffloadMode::kFull || (each_ && k > 0);
    sum = apart ? incoming_.as<float>() : mean_.first() + place.shard_begin;
    stream.WaitFor(landed_);
  }
  const std::string& order = settings_.reduction_order;
  timeline_.Span(*streams_.compute, stream, "reduce_scatter", bucket, [&] {
    groups_.shard.ReduceScatter(sum, sent, place.cuts, Over(groups_.shard, order, replicas ? 1.0f : divisor),
                                narrow_ ? WireType::kBf16 : WireType::kFp32, stream, "gradients");
  });
  if (replicas) {
    timeline_.Span(*streams_.compute, stream, "all_reduce", bucket, [&] {
      // A ring's order would start at another replica in each part of the part, so replicas are added in rank order.
      AllReduce(groups_.replicate, sum, place.shard_numel,
                Over(groups_.replicate, order == "tree" ? "tree" : "rank", divisor), stream, "gradients of replicas");
    });
  }
  Land(bucket, k, sum);
}

/// From the sum over ranks of this rank's part to the mean.
void GradientStore::Land(int bucket, int k, float* sum) {
  const BucketPlace& place = arrangement_.buckets[bucket];
  const bool full_offload = settings_.offload == OffloadMode::kFull;
  DeviceStream& stream = full_offload ? *streams_.copy : *streams_.communication;
  if (full_offload) {
    stream.WaitFor(streams_.communication->Record());
    device_.CopyToHost(landing_.as<float>(), sum, place.shard_numel * kFloatBytes, stream);
    landed_ = stream.Record();
    sum = landing_.as<float>();
  }
  if (each_ || full_offload) mean_.Add(stream, each_ ? k : 0, sum, place.shard_begin, place.shard_numel);
  if (k + 1 == settings_.micro_batches) FinishMean(bucket, stream);
}

void GradientStore::FinishMean(int bucket, DeviceStream& stream) const {
  if (in_place_) return;
  const BucketPlace& place = arrangement_.buckets[bucket];
  float* mean = mean_.total() + place.shard_begin;
  if (each_) stream.ops().Divide(mean, micro_batches_, place.shard_numel);
  if (narrow_) stream.ops().RoundToBf16(mean, place.shard_numel);
}

void GradientStore::CompleteMean(float unscale) {
  for (const int section : waiting_) Reduce(section, settings_.micro_batches - 1);
  waiting_.clear();

  const Layout& layout = arrangement_.layout;
  const bool on_host = settings_.offload != OffloadMode::kNone;
  DeviceStream& stream = on_host ? *streams_.copy : *streams_.communication;
  if (on_host) stream.WaitFor(streams_.communication->Record());
  if (settings_.offload == OffloadMode::kParams) {
    device_.CopyToHost(landing_.as<float>(), mean_.total(), layout.shard_numel(arrangement_.shard) * kFloatBytes,
                       stream);
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
    const BucketPlace& place = arrangement_.buckets[bucket];
    float* whole = whole_.total() + place.flat_begin;
    int64_t passed = 0;
    for (const auto& cut : place.cuts) {
      const int64_t begin = cut[arrangement_.shard], numel = cut[arrangement_.shard + 1] - begin;
      if (!in_place_) {
        const float* part = mean_.total() + place.shard_begin + passed;
        stream.ops().Copy(whole + begin, part, numel * kFloatBytes);
      }
      if (unscale != 1.0f) stream.ops().Scale(whole + begin, unscale, numel);
      passed += numel;
    }
    timeline_.Span(*streams_.compute, stream, "all_gather", bucket,
                   [&] { groups_.shard.AllGather(whole, whole, place.cuts, kFloatBytes, stream, "gradients"); });
  }
}

float* GradientStore::Mean(const OwnedPiece& piece) const {
  if (in_place_ || !arrangement_.sharding.optimizer) return whole_.total() + piece.flat_offset;
  const bool landed = settings_.offload == OffloadMode::kParams;
  return (landed ? landing_.as<float>() : mean_.total()) + piece.shard_offset;
}

}  // namespace zerocts::engine
