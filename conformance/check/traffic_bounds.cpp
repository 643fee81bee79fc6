#include "conformance/check/traffic_bounds.hpp"

#include <algorithm>

#include "conformance/cases/tensor_parts.hpp"
#include "conformance/check/row_share.hpp"
#include "conformance/check/tensor_traffic.hpp"

namespace zerocts {
namespace {

uint64_t ElementBytes(Precision precision) { return precision == Precision::kBf16 ? 2 : 4; }

/// What travels of a parameter, over all shards.
uint64_t PaddedNumel(const ParameterSpec& parameter, int64_t shards, Granularity granularity) {
  if (granularity == Granularity::kRow) return static_cast<uint64_t>(RowShare(parameter, shards) * shards);
  return static_cast<uint64_t>(parameter.numel() + shards - 1);
}

/// Collectives that one reduction, or one gathering, of everything takes, at most.
uint64_t CollectivesOfAll(const Experiment& e, const TrafficLimits& limits) {
  if (e.model) return e.parameters.size();  // unit by unit
  const uint64_t buckets = 1 + e.groups.size();
  if (limits.parameters_per_unit == 0) return buckets;
  return (e.parameters.size() + limits.parameters_per_unit - 1) / limits.parameters_per_unit;
}

uint64_t ReductionsOf(const Case& c) {
  return c.gradient_sync == GradientSync::kEach ? static_cast<uint64_t>(c.experiment.micro_batches) : 1;
}

uint64_t GathersOf(const Case& c) {
  return c.stage == 0 ? 0 : c.stage < 3 ? 1 : 2 * static_cast<uint64_t>(c.experiment.micro_batches);
}

bool LacksAGradient(const Experiment& e, int parameter) {
  return std::ranges::any_of(e.roles.missing, [=](const auto& missing) { return missing.parameter == parameter; });
}

/// What ZeRO moves in a step of the ranks of one sharding group and replica that have these parameters.
MostTraffic MostOfZero(const Case& c, const TrafficLimits& limits, const std::vector<ParameterSpec>& parameters) {
  const Experiment& e = c.experiment;
  const auto replicas = static_cast<uint64_t>(c.replicas);
  const uint64_t shards = static_cast<uint64_t>(c.shards());
  uint64_t numel = 0, parameter_bytes = 0;
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (!e.roles.HasState(static_cast<int>(p))) continue;
    const uint64_t padded = PaddedNumel(parameters[p], static_cast<int64_t>(shards), limits.granularity);
    numel += padded;
    parameter_bytes += padded * ElementBytes(PrecisionOf(e, static_cast<int>(p)));
  }
  const uint64_t gradient_bytes = numel * ElementBytes(e.reduction) * ReductionsOf(c);

  MostTraffic most;
  most.scattered_bytes = (shards - 1) * gradient_bytes;
  most.bytes = most.scattered_bytes * (c.stage == 0 ? 2 : 1);
  // Replicas add fp32 sums, whatever travelled inside a sharding group; each has a share of the 2 (R - 1) N, and of
  // each collective a share that is rounded up.
  const uint64_t replicated = numel + shards * replicas * CollectivesOfAll(e, limits);
  most.bytes += 2 * (replicas - 1) * replicated * 4 * ReductionsOf(c) / replicas;
  most.bytes += (shards - 1) * parameter_bytes * GathersOf(c);
  return most;
}

/// Of one parameter, in all ranks: how often its gradient travels.
uint64_t LeastTravels(const Case& c, bool on_all_tensor_ranks) {
  const auto ranks = static_cast<uint64_t>(c.data_ranks()), tensor = static_cast<uint64_t>(c.tensor);
  const uint64_t owners = c.stage == 0 ? ranks : static_cast<uint64_t>(c.replicas);
  const uint64_t once = ranks + owners - 2;
  return on_all_tensor_ranks ? std::min(tensor * once, ranks + tensor * owners - 2) : once;
}

}  // namespace

MostTraffic MostTrafficOf(const Case& c, const TrafficLimits& limits) {
  const Experiment& e = c.experiment;
  MostTraffic most;
  for (int tensor_rank = 0; tensor_rank < c.tensor; ++tensor_rank) {
    const MostTraffic of_rank = MostOfZero(c, limits, ParametersOfTensorRank(c, tensor_rank));
    most.bytes += of_rank.bytes;
    most.scattered_bytes += of_rank.scattered_bytes;
  }
  most.bytes += static_cast<uint64_t>(c.shards() * e.micro_batches) * TensorTrafficOf(c).most_bytes;
  if (!e.model) {  // all of it fits into one bucket of any usual size
    most.calls =
        CollectivesOfAll(e, limits) * std::max(ReductionsOf(c) + GathersOf(c), uint64_t{2}) * (c.replicas > 1 ? 2 : 1);
  }
  return most;
}

uint64_t LeastTrafficOf(const Case& c, int64_t step) {
  const Experiment& e = c.experiment;
  const std::vector<bool> replicated = AreReplicated(c);
  uint64_t bytes = 0;
  bool all_learn = true;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    if (!IsUpdated(e, p, step) || LacksAGradient(e, p)) {
      all_learn = false;
      continue;
    }
    // Gradients of a bf16 parameter are bf16 values, and may travel so before they are added.
    const uint64_t element_bytes = std::min(ElementBytes(e.reduction), ElementBytes(PrecisionOf(e, p)));
    bytes += LeastTravels(c, replicated[static_cast<size_t>(p)]) *
             static_cast<uint64_t>(e.parameters[static_cast<size_t>(p)].numel()) * element_bytes;
  }
  if (all_learn) bytes += static_cast<uint64_t>(c.data_ranks() * e.micro_batches) * TensorTrafficOf(c).least_bytes;
  return bytes;
}

}  // namespace zerocts
