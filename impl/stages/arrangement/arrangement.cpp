#include "impl/stages/arrangement/arrangement.hpp"

#include <algorithm>
#include <iterator>

#include "impl/layout/plans.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kUsualBucketBytes = int64_t{25} << 20;

/// Which units compute with a parameter.
struct UnitSpan {
  int first = 0, last = 0;
};

std::vector<UnitSpan> UnitSpans(const EngineSettings& settings) {
  std::vector<UnitSpan> spans(settings.parameters.size());
  if (!settings.model) return spans;
  const Model model(*settings.model, settings.precision, HostOps());
  for (int u = model.units() - 1; u >= 0; --u) {
    for (const int p : model.ParametersOf(u)) spans[p].first = u;
  }
  for (int u = 0; u < model.units(); ++u) {
    for (const int p : model.ParametersOf(u)) spans[p].last = u;
  }
  return spans;
}

PlanRequest RequestOf(const EngineSettings& settings, const std::vector<UnitSpan>& spans, int shards) {
  PlanRequest request;
  request.plan = settings.plan;
  request.shards = shards;
  const int64_t cap = settings.bucket_cap_bytes > 0 ? settings.bucket_cap_bytes : kUsualBucketBytes;
  request.bucket_numel = std::max<int64_t>(cap / ElementBytes(settings.precision), 1);
  int kind = 0;
  for (size_t p = 0; p < settings.parameters.size(); ++p) {
    const EngineParameter& parameter = settings.parameters[p];
    const bool stored = parameter.has_storage();
    if (stored) kind = 2 * spans[p].first + (parameter.precision == Precision::kBf16);  // else as the one before
    request.parameters.push_back({parameter.spec.name, stored ? parameter.spec.shape : std::vector<int64_t>{0}, kind});
  }
  return request;
}

std::vector<ShardingUnit> ShardingUnitsOf(const Layout& layout, const EngineSettings& settings,
                                          const std::vector<UnitSpan>& spans) {
  std::vector<ShardingUnit> sharding_units;
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    ShardingUnit sharding_unit{b, b + 1, layout.bucket_begin(b), layout.bucket_numel(b), 0, 0};
    bool stores = false;
    for (const int p : layout.buckets[b].parameters) {
      if (!settings.parameters[p].has_storage()) continue;
      sharding_unit.first_unit = spans[p].first;  // the same for all
      sharding_unit.last_unit = std::max(sharding_unit.last_unit, spans[p].last);
      stores = true;
    }
    const bool continues = settings.model && !sharding_units.empty() &&
                           (!stores || sharding_units.back().first_unit == sharding_unit.first_unit);
    if (continues) {
      sharding_units.back().end_bucket = b + 1;
      sharding_units.back().flat_numel += sharding_unit.flat_numel;
      sharding_units.back().last_unit = std::max(sharding_units.back().last_unit, sharding_unit.last_unit);
      continue;
    }
    sharding_units.push_back(sharding_unit);
  }
  return sharding_units;
}

std::vector<OwnedPiece> PiecesOfState(const Arrangement& a) {
  std::vector<OwnedPiece> owned;
  if (!a.sharding.optimizer) {
    for (const Piece& piece : a.layout.WholeParameters())
      owned.push_back({piece, a.bucket_of_parameter[piece.parameter]});
    return owned;
  }
  for (int b = 0; b < a.bucket_count(); ++b) {
    for (const Piece& piece : a.layout.PiecesOf(a.shard, b)) owned.push_back({piece, b});
  }
  return owned;
}

BucketOffsets OffsetsOf(const Layout& layout, int bucket, int shard) {
  BucketOffsets offsets;
  offsets.flat_begin = layout.bucket_begin(bucket);
  offsets.flat_numel = layout.bucket_numel(bucket);
  offsets.shard_begin = layout.bucket_shard_begin(bucket, shard);
  offsets.shard_numel = layout.bucket_shard_numel(bucket, shard);
  offsets.cuts.assign(layout.cuts.begin() + layout.buckets[bucket].first_cut,
                      layout.cuts.begin() + layout.buckets[bucket].end_cut);
  for (auto& cut : offsets.cuts) {
    for (int64_t& element : cut) element -= offsets.flat_begin;
  }
  return offsets;
}

/// `numel`: of a bucket.
BucketBytes BytesOfBuckets(const Arrangement& a, int64_t BucketOffsets::*numel) {
  BucketBytes bytes;
  for (const ShardingUnit& sharding_unit : a.sharding_units) {
    int64_t largest = 1;
    for (int b = sharding_unit.first_bucket; b < sharding_unit.end_bucket; ++b)
      largest = std::max(largest, ElementBytes(a.buckets[b].precision));
    bytes.Align(largest);
    for (int b = sharding_unit.first_bucket; b < sharding_unit.end_bucket; ++b)
      bytes.Append(a.buckets[b].*numel, a.buckets[b].precision);
  }
  return bytes;
}

/// Parameters that belong to no model are replicated; nothing of those of experts.
std::vector<ParameterPart> DensePartsOf(const EngineSettings& settings, int tensor_rank) {
  const std::vector<TensorCut> cuts =
      settings.model ? ModelTensorCuts(*settings.model) : std::vector<TensorCut>(settings.parameters.size());
  std::vector<ParameterPart> parts;
  for (size_t p = 0; p < cuts.size(); ++p) {
    const EngineParameter& parameter = settings.parameters[p];
    parts.push_back(parameter.expert < 0 ? PartOf(parameter.spec.shape, cuts[p], tensor_rank, settings.tensor)
                                         : NoPart(parameter.spec.shape));
  }
  return parts;
}

std::vector<ParameterPart> ExpertPartsOf(const EngineSettings& settings, int expert) {
  std::vector<ParameterPart> parts;
  for (const EngineParameter& parameter : settings.parameters) {
    parts.push_back(parameter.expert == expert ? WholePart(parameter.spec.shape) : NoPart(parameter.spec.shape));
  }
  return parts;
}

Arrangement ArrangementOn(const Mesh& mesh, int rank) {
  Arrangement a;
  a.rank = rank;
  a.mesh = mesh;
  a.shard = mesh.Coordinate(rank, "shard");
  a.replica = mesh.Coordinate(rank, "replicate");
  a.tensor = mesh.Coordinate(rank, "tensor");
  return a;
}

/// All that follows from the mesh and the parts.
void LayOut(const EngineSettings& whole, Arrangement& a) {
  a.sharding = ShardingOf(whole.stage);
  const EngineSettings settings = OwnSettings(whole, a.parts);
  const std::vector<UnitSpan> spans = UnitSpans(settings);
  a.layout = MakeLayout(RequestOf(settings, spans, a.mesh.size("shard")));
  a.bucket_of_parameter.resize(settings.parameters.size());
  for (int b = 0; b < std::ssize(a.layout.buckets); ++b) {
    BucketOffsets& offsets = a.buckets.emplace_back(OffsetsOf(a.layout, b, a.shard));
    offsets.precision = settings.precision;
    for (const int p : a.layout.buckets[b].parameters) {
      a.bucket_of_parameter[p] = b;
      if (settings.parameters[p].has_storage()) offsets.precision = settings.parameters[p].precision;
    }
  }
  a.sharding_units = ShardingUnitsOf(a.layout, settings, spans);
  for (size_t s = 0; s < a.sharding_units.size(); ++s) {
    for (int b = a.sharding_units[s].first_bucket; b < a.sharding_units[s].end_bucket; ++b) {
      a.sharding_unit_of_bucket.push_back(static_cast<int>(s));
    }
  }
  a.owned = PiecesOfState(a);
  std::ranges::copy_if(a.owned, std::back_inserter(a.counted),
                       [&](const OwnedPiece& piece) { return a.counts(piece.parameter); });
}

}  // namespace

EngineSettings OwnSettings(const EngineSettings& settings, const std::vector<ParameterPart>& parts) {
  EngineSettings own = settings;
  for (size_t p = 0; p < parts.size(); ++p) own.parameters[p].spec.shape = parts[p].shape;
  return own;
}

Arrangement ArrangementOf(const EngineSettings& settings, int rank, int world_size) {
  const int data_ranks = world_size / settings.tensor;
  Arrangement a = ArrangementOn(HybridMesh(settings.replicas, data_ranks / settings.replicas, settings.tensor), rank);
  a.data_ranks = data_ranks;
  a.parts = DensePartsOf(settings, a.tensor);
  LayOut(settings, a);
  return a;
}

Mesh ExpertMesh(const EngineSettings& settings, int world_size) {
  return HybridMesh(settings.replicas, world_size / (settings.replicas * settings.experts), settings.experts);
}

Arrangement ExpertArrangementOf(const EngineSettings& settings, int rank, int world_size) {
  Arrangement a = ArrangementOn(ExpertMesh(settings, world_size), rank);
  a.data_ranks = settings.expert_divisor == DivisorOfExperts::kGroup ? world_size / settings.experts : world_size;
  a.expert = a.tensor;
  a.parts = ExpertPartsOf(settings, a.expert);
  LayOut(settings, a);
  return a;
}

void BucketBytes::Align(int64_t bytes) { total_ = RoundedUp(total_, bytes); }

void BucketBytes::Append(int64_t numel, Precision precision) {
  Align(ElementBytes(precision));
  begin_.push_back(total_);
  total_ += numel * ElementBytes(precision);
}

BucketBytes BytesOfFullBuckets(const Arrangement& a) { return BytesOfBuckets(a, &BucketOffsets::flat_numel); }
BucketBytes BytesOfShardBuckets(const Arrangement& a) { return BytesOfBuckets(a, &BucketOffsets::shard_numel); }

int64_t ShardByteOf(const Arrangement& a, const BucketBytes& shard_buckets, const OwnedPiece& piece) {
  const BucketOffsets& offsets = a.buckets[piece.bucket];
  return shard_buckets.begin(piece.bucket) +
         (piece.shard_offset - offsets.shard_begin) * ElementBytes(offsets.precision);
}

}  // namespace zerocts::engine
