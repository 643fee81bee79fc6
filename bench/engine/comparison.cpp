#include "bench/engine/comparison.hpp"

#include <numeric>

#include "impl/layout/plan_costs.hpp"
#include "impl/stages/engine/memory_estimate.hpp"

namespace zerocts {
namespace {

engine::CostSettings CostSettingsOf(const engine::EngineSettings& settings) {
  engine::CostSettings costs;
  costs.stage = settings.stage;
  costs.parameters = settings.precision;
  costs.gradients = Precision::kFp32;
  costs.moments = static_cast<int>(MomentNames(settings.optimizer.kind).size());
  return costs;
}

/// Elements of padding in the whole flat buffer and in one rank's shard.
struct Padding {
  int64_t whole, shard;
};

Padding PaddingOf(const engine::Layout& layout, int rank) {
  const int64_t elements = std::accumulate(layout.numel.begin(), layout.numel.end(), int64_t{0});
  return {layout.padded_numel() - elements, layout.shard_numel(rank) - engine::ElementsOfShards(layout)[rank]};
}

engine::Traffic::Count Difference(const engine::Traffic::Count& after, const engine::Traffic::Count& before) {
  return {after.calls - before.calls, after.sent_bytes - before.sent_bytes,
          after.received_bytes - before.received_bytes};
}

/// Bytes of integers that ranks add up in a step: the exact norm, and which parameters had gradients where they are
/// given.
int64_t ControlBytes(const engine::EngineSettings& settings, int shards) {
  const int64_t norm = settings.stage >= 1 ? static_cast<int64_t>(sizeof(SumOfSquares::bins)) : 0;
  const int64_t counts = settings.model ? 0 : std::ssize(settings.parameters) * static_cast<int64_t>(sizeof(uint64_t));
  return (shards - 1) * (norm + counts);
}

}  // namespace

std::vector<ComparedFigure> CompareHeld(const engine::EngineSettings& settings, const engine::Layout& layout, int rank,
                                        const engine::MemoryLedger& held) {
  const engine::RankCosts costs = engine::CostsOf(layout, CostSettingsOf(settings)).ranks.at(rank);
  const Padding padding = PaddingOf(layout, rank);
  const auto padded = [&](bool sharded, int64_t element_bytes) {
    return (sharded ? padding.shard : padding.whole) * element_bytes;
  };
  const int64_t parameter = engine::ElementBytes(settings.precision), fp32 = engine::ElementBytes(Precision::kFp32);
  const int64_t masters = settings.precision == Precision::kBf16 ? 1 : 0;
  const int64_t state = fp32 * (std::ssize(MomentNames(settings.optimizer.kind)) + masters);
  return {
      {"parameters held", costs.parameter_bytes, padded(settings.stage >= 3, parameter),
       held[engine::MemoryKind::kParameter]},
      {"gradients held", costs.gradient_bytes, padded(settings.stage >= 2, fp32), held[engine::MemoryKind::kGradient]},
      {"optimizer state held", costs.optimizer_bytes, padded(settings.stage >= 1, state),
       held[engine::MemoryKind::kOptimizer]},
      {"buffers held (estimate)", engine::EstimateMemory(settings, rank, layout.shards())[engine::MemoryKind::kBuffer],
       0, held[engine::MemoryKind::kBuffer]}};
}

std::vector<ComparedFigure> CompareMoved(const engine::EngineSettings& settings, const engine::Layout& layout, int rank,
                                         const engine::Traffic& moved) {
  const engine::CostSettings cost_settings = CostSettingsOf(settings);
  const engine::RankCosts costs = engine::CostsOf(layout, cost_settings).ranks.at(rank);
  // What the formula gives for the elements alone: padding travels too, and is named.
  const Padding padding = PaddingOf(layout, rank);
  const int64_t fp32 = engine::ElementBytes(Precision::kFp32);
  const int64_t gathered = settings.stage == 0 ? fp32 : engine::ElementBytes(settings.precision);
  const int64_t gathers = settings.stage == 3 ? 2 : 1;
  const int64_t of_others = padding.whole - padding.shard, of_own = (layout.shards() - 1) * padding.shard;
  const auto figure = [](const char* what, int64_t with_padding, int64_t of_padding, int64_t counted) {
    return ComparedFigure{what, with_padding - of_padding, of_padding, counted};
  };
  const int64_t control = ControlBytes(settings, layout.shards());
  return {
      figure("reduce-scatter sent", costs.reduce_scatter.sent_bytes, of_others * fp32, moved.reduce_scatter.sent_bytes),
      figure("reduce-scatter received", costs.reduce_scatter.received_bytes, of_own * fp32,
             moved.reduce_scatter.received_bytes),
      figure("all-gather sent", costs.all_gather.sent_bytes, gathers * of_own * gathered, moved.all_gather.sent_bytes),
      figure("all-gather received", costs.all_gather.received_bytes, gathers * of_others * gathered,
             moved.all_gather.received_bytes),
      figure("norm, counts sent", control, 0, moved.all_reduce.sent_bytes),
      figure("norm, counts received", control, 0, moved.all_reduce.received_bytes)};
}

engine::Traffic Difference(const engine::Traffic& after, const engine::Traffic& before) {
  return {Difference(after.all_gather, before.all_gather), Difference(after.reduce_scatter, before.reduce_scatter),
          Difference(after.all_reduce, before.all_reduce)};
}

}  // namespace zerocts
