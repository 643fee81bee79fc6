#include "impl/stages/stores/given_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kChunk = 16384;  // elements; both buffers stay in the second-level cache

int64_t Largest(const std::vector<int64_t>& numel) {
  return numel.empty() ? 0 : *std::max_element(numel.begin(), numel.end());
}

}  // namespace

Upload::Upload(const RankContext& context, DeviceStream& stream, int64_t largest_numel)
    : device_(context.device),
      stream_(stream),
      chunk_(std::min(kChunk, largest_numel)),
      narrow_(context.Allocate(BufferLocation::kDevice, chunk_ * ElementBytes(Precision::kBf16), MemoryKind::kBuffer)),
      wide_(context.Allocate(BufferLocation::kDevice, chunk_ * ElementBytes(Precision::kFp32), MemoryKind::kBuffer)) {}

void Upload::ForEachChunk(const void* host, Precision precision, int64_t numel,
                          const std::function<void(int64_t, float*, int64_t)>& visit) {
  const int64_t element_bytes = ElementBytes(precision);
  float* wide = wide_.as<float>();
  for (int64_t begin = 0; begin < numel; begin += chunk_) {
    const int64_t count = std::min(chunk_, numel - begin);
    const std::byte* chunk = static_cast<const std::byte*>(host) + begin * element_bytes;
    if (precision == Precision::kFp32) {
      device_.CopyFromHost(wide, chunk, count * element_bytes, stream_);
    } else {
      device_.CopyFromHost(narrow_.as<Bf16>(), chunk, count * element_bytes, stream_);
      stream_.ops().CastToFloat(wide, narrow_.as<Bf16>(), count);
    }
    visit(begin, wide, count);
  }
}

GivenGradients::GivenGradients(const RankContext& context)
    : settings_(context.settings),
      arrangement_(context.arrangement),
      compute_(*context.streams.compute),
      upload_(context, compute_, Largest(arrangement_.layout.numel)),
      names_(settings_.parameters.size()),
      passes_(context, names_),
      counts_(settings_.parameters.size()) {
  for (size_t p = 0; p < settings_.parameters.size(); ++p) {
    const EngineParameter& parameter = settings_.parameters[p];
    if (!parameter.buffer) names_[parameter.tied_to < 0 ? p : parameter.tied_to].push_back(static_cast<int>(p));
  }
}

void GivenGradients::Accumulate(int micro_batch, const std::vector<const void*>& gradients, const HostLoss* loss,
                                float loss_scale, ParameterStore& parameters, GradientStore& store) {
  if (loss) passes_.Forward({*loss, gradients}, parameters);
  for (int s = static_cast<int>(arrangement_.sharding_units.size()) - 1; s >= 0; --s) {
    if (loss) passes_.Backward(s, {*loss, gradients}, parameters);
    const ShardingUnit& unit = arrangement_.sharding_units[s];
    float* area = store.Begin(s, micro_batch);
    for (int b = unit.first_bucket; b < unit.end_bucket; ++b) {
      for (const int owner : arrangement_.layout.buckets[b].parameters) {
        float* out = area + (arrangement_.layout.offset[owner] - unit.flat_begin);
        bool begun = false;
        for (const int name : names_[owner]) {
          if (!gradients[name]) continue;
          Write(name, gradients[name], loss_scale, !begun, out);
          begun = true;
        }
        counts_[owner] += begun;
        if (!begun) compute_.ops().Fill(out, 0.0f, arrangement_.layout.numel[owner]);
      }
    }
    store.Finish(s, micro_batch);
  }
  compute_.Synchronize();
}

/// `begins`: replaces what stands in `out`, else it is added and the sum rounded to the owner's precision.
void GivenGradients::Write(int p, const void* gradient, float loss_scale, bool begins, float* out) {
  const EngineParameter& parameter = settings_.parameters[p];
  const int owner = parameter.tied_to < 0 ? p : parameter.tied_to;
  const auto round = [&](Precision precision, float* values, int64_t count) {
    if (precision == Precision::kBf16) compute_.ops().RoundToBf16(values, count);
  };
  upload_.ForEachChunk(gradient, parameter.precision, parameter.spec.numel(),
                       [&](int64_t begin, float* values, int64_t count) {
                         if (loss_scale != 1.0f) {
                           compute_.ops().Scale(values, loss_scale, count);
                           round(parameter.precision, values, count);
                         }
                         if (begins) {
                           compute_.ops().Copy(out + begin, values, count * kFloatBytes);
                         } else {
                           compute_.ops().Add(out + begin, values, count);
                           round(settings_.parameters[owner].precision, out + begin, count);
                         }
                       });
}

std::vector<uint64_t> GivenGradients::TakeCounts() {
  return std::exchange(counts_, std::vector<uint64_t>(settings_.parameters.size()));
}

}  // namespace zerocts::engine
