#include "impl/stages/stores/whole_matrices.hpp"

#include <algorithm>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

WholeMatrices::WholeMatrices(const RankContext& context, ParameterStore& parameters)
    : arrangement_(context.arrangement),
      formula_(context.settings.optimizer.formula),
      copies_(context),
      parameters_(parameters),
      comm_(context.groups.shard),
      device_(context.device),
      streams_(context.streams),
      timeline_(context.timeline),
      of_bucket_(arrangement_.buckets.size()) {
  for (const EngineParameter& parameter : context.settings.parameters) {
    shapes_.push_back(parameter.has_storage() ? MatrixShapeOf(parameter.spec.shape) : MatrixShape{});
  }
  int64_t own = 0, whole = 0, work = 0;
  for (const BucketOffsets& bucket : arrangement_.buckets) {
    own = std::max(own, bucket.shard_numel);
    whole = std::max(whole, bucket.flat_numel);
  }
  for (const OwnedPiece& piece : arrangement_.owned) {
    std::vector<int>& matrices = of_bucket_[static_cast<size_t>(piece.bucket)];
    if (std::ranges::find(matrices, piece.parameter) == matrices.end()) matrices.push_back(piece.parameter);
    work = std::max(work, shape(piece.parameter).work_numel());
  }
  const auto fp32 = [&](BufferLocation location, int64_t numel) {
    return context.Allocate(location, numel * kFloatBytes, MemoryKind::kBuffer);
  };
  whole_ = fp32(context.home(), whole);
  work_ = fp32(context.home(), work);
  squares_ = context.Allocate(context.home(), sizeof(SumOfSquares), MemoryKind::kBuffer);
  if (!arrangement_.sharding.optimizer) return;
  own_ = fp32(context.offloads() ? BufferLocation::kHost : BufferLocation::kShardGroup, own);
  if (!context.offloads()) return;
  own_on_device_ = fp32(BufferLocation::kShardGroup, own);
  whole_on_device_ = fp32(BufferLocation::kDevice, whole);
}

float* WholeMatrices::Direction(const OwnedPiece& piece) const {
  const BucketOffsets& bucket = arrangement_.buckets[static_cast<size_t>(piece.bucket)];
  return own_ ? own_.as<float>() + piece.shard_offset - bucket.shard_begin
              : whole_.as<float>() + piece.flat_offset - bucket.flat_begin;
}

const float* WholeMatrices::Orthogonal(const OwnedPiece& piece) const {
  return whole_.as<float>() + piece.flat_offset - arrangement_.buckets[static_cast<size_t>(piece.bucket)].flat_begin;
}

void WholeMatrices::Orthogonalize(int bucket, const std::function<std::optional<float>(int)>& eps) {
  if (own_) Gather(bucket);
  const BucketOffsets& offsets = arrangement_.buckets[static_cast<size_t>(bucket)];
  for (const int parameter : of_bucket_[static_cast<size_t>(bucket)]) {
    const std::optional<float> epsilon = eps(parameter);
    if (!epsilon) continue;
    float* matrix =
        whole_.as<float>() + arrangement_.layout.offset[static_cast<size_t>(parameter)] - offsets.flat_begin;
    zerocts::Orthogonalize(parameters_.home().ops(), formula_, *epsilon, NormOf(matrix, shape(parameter).numel()),
                           matrix, shape(parameter), work_.as<float>());
  }
}

void WholeMatrices::Gather(int bucket) {
  const BucketOffsets& offsets = arrangement_.buckets[static_cast<size_t>(bucket)];
  DeviceStream &home = parameters_.home(), &stream = *streams_.communication;
  const bool offloads = static_cast<bool>(own_on_device_);
  const Buffer &own = offloads ? own_on_device_ : own_, &whole = offloads ? whole_on_device_ : whole_;
  if (offloads) device_.CopyFromHost(own.as<float>(), own_.as<float>(), offsets.shard_numel * kFloatBytes, home);
  stream.WaitFor(home.Record());
  timeline_.Span(*streams_.compute, stream, "all_gather", bucket, [&] {
    comm_.AllGather(whole.as<float>(), own.as<float>(), offsets.cuts, kFloatBytes, stream, "directions");
  });
  home.WaitFor(stream.Record());
  if (offloads) device_.CopyToHost(whole_.as<float>(), whole.as<float>(), offsets.flat_numel * kFloatBytes, home);
}

float WholeMatrices::NormOf(const float* matrix, int64_t numel) {
  SumOfSquares sum;
  DeviceStream& home = parameters_.home();
  copies_.ToHome(squares_.as<void>(), &sum, sizeof sum, home);
  home.ops().AddSquares(squares_.as<SumOfSquares>(), matrix, numel);
  copies_.FromHome(&sum, squares_.as<void>(), sizeof sum, home);
  home.Synchronize();
  return sum.Norm();
}

}  // namespace zerocts::engine
