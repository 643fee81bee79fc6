#include "impl/stages/arrangement/arrangement.hpp"

#include <gtest/gtest.h>

namespace zerocts::engine {
namespace {

/// A model whose tensors have odd numbers of elements.
EngineSettings OddModel() {
  EngineSettings settings{.stage = 3, .bucket_cap_bytes = 64};
  const ModelSpec model = GptSpec{.vocab = 7, .context = 3, .layers = 2, .heads = 1, .width = 3};
  for (const ParameterSpec& spec : ModelParameters(model)) settings.parameters.push_back({.spec = spec});
  settings.model = model;
  return settings;
}

/// A sharding unit is moved to memory of its own, where it begins at any multiple of what a float needs.
void ExpectFloatsWhereFloatsMayStand(const Arrangement& a, const BucketBytes& offsets) {
  for (const ShardingUnit& sharding_unit : a.sharding_units) {
    for (int b = sharding_unit.first_bucket; b < sharding_unit.end_bucket; ++b) {
      EXPECT_EQ((offsets.begin(b) - offsets.begin(sharding_unit.first_bucket)) % ElementBytes(a.buckets[b].precision),
                0)
          << "bucket " << b;
    }
  }
}

TEST(Arrangement, OfMixedPrecisionsIsAlignedInEveryShardingUnit) {
  EngineSettings settings = OddModel();
  const size_t count = settings.parameters.size();
  for (uint32_t pattern = 0; pattern < 64; ++pattern) {
    for (size_t p = 0; p < count; ++p) {
      settings.parameters[p].precision = (pattern >> p % 6 & 1) != 0 ? Precision::kBf16 : Precision::kFp32;
    }
    for (const int world_size : {1, 2, 3}) {
      for (int rank = 0; rank < world_size; ++rank) {
        const Arrangement a = ArrangementOf(settings, rank, world_size);
        ExpectFloatsWhereFloatsMayStand(a, BytesOfFullBuckets(a));
        ExpectFloatsWhereFloatsMayStand(a, BytesOfShardBuckets(a));
      }
    }
  }
}

TEST(Arrangement, OfBf16AloneHasNoGaps) {
  EngineSettings settings = OddModel();
  int64_t numel = 0;
  for (EngineParameter& parameter : settings.parameters) {
    parameter.precision = Precision::kBf16;
    if (parameter.has_storage()) numel += parameter.spec.numel();
  }
  settings.precision = Precision::kBf16;
  EXPECT_EQ(BytesOfFullBuckets(ArrangementOf(settings, 0, 1)).total(), 2 * numel);
}

}  // namespace
}  // namespace zerocts::engine
