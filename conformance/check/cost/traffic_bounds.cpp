#include "conformance/check/cost/traffic_bounds.hpp"

#include <algorithm>

#include "conformance/cases/case/tensor_parts.hpp"
#include "conformance/check/cost/row_share.hpp"
#include "conformance/check/cost/tensor_traffic.hpp"

namespace zerocts {
namespace {

uint64_t ElementBytes(Precision precision) { return precision == Precision::kBf16 ? 2 : 4; }

/// What travels of a parameter, over all shards.
uint64_t PaddedNumel(const ParameterSpec& parameter, int64_t shards, Granularity granularity) {
  if (granularity == Granularity::kRow) return static_cast<uint64_t>(RowShare(parameter, shards) * shards);
  return static_cast<uint64_t>(parameter.numel() + shards - 1);
}

/// Two buckets beside each other hold more than fits into one.
uint64_t FullBuckets(const Case& c) {
  if (c.bucket_cap_bytes == 0) return 0;  // all of it fits into one bucket of any usual size
  const Experiment& e = c.experiment;
  return 2 * (static_cast<uint64_t>(TotalNumel(e)) * ElementBytes(e.precision) / c.bucket_cap_bytes);
}

/// Collectives that one reduction, or one gathering, of everything that a rank has takes, at most. What is an expert's
/// has some of its own.
uint64_t CollectivesOfAll(const Case& c, const TrafficLimits& limits) {
  const Experiment& e = c.experiment;
  if (e.model) return e.parameters.size();  // unit by unit
  const uint64_t buckets = 1 + e.groups.size() + FullBuckets(c);
  const uint64_t units = limits.parameters_per_unit == 0
                             ? buckets
                             : (e.parameters.size() + limits.parameters_per_unit - 1) / limits.parameters_per_unit;
  return e.experts.parameters.empty() ? units : 2 * units;
}

uint64_t ReductionsOf(const Case& c) {
  return c.gradient_sync == GradientSync::kEveryMicroBatch ? static_cast<uint64_t>(c.experiment.micro_batches) : 1;
}

uint64_t GathersOf(const Case& c) {
  return c.stage == 0 ? 0 : c.stage < 3 ? 1 : 2 * static_cast<uint64_t>(c.experiment.micro_batches);
}

bool LacksAGradient(const Experiment& e, int parameter) {
  return std::ranges::any_of(e.roles.missing, [=](const auto& missing) { return missing.parameter == parameter; });
}

/// What ZeRO moves in a step of the ranks of one sharding group and replica that have these parameters. Each expert's
/// ranks are a group of their own.
MostTraffic MostOfZero(const Case& c, const TrafficLimits& limits, const std::vector<ParameterSpec>& parameters) {
  const Experiment& e = c.experiment;
  const auto replicas = static_cast<uint64_t>(c.replicas);
  uint64_t numel = 0, scattered = 0, parameter_bytes = 0;
  for (int p = 0; p < static_cast<int>(parameters.size()); ++p) {
    if (!e.roles.HasState(p)) continue;
    const auto shards = static_cast<uint64_t>(c.shards_of(p));
    const uint64_t padded = PaddedNumel(parameters[static_cast<size_t>(p)], c.shards_of(p), limits.granularity);
    numel += padded;
    scattered += (shards - 1) * padded;
    parameter_bytes += (shards - 1) * padded * ElementBytes(PrecisionOf(e, p));
  }

  MostTraffic most;
  most.scattered_bytes = scattered * ElementBytes(e.reduction) * ReductionsOf(c);
  most.bytes = most.scattered_bytes * (c.stage == 0 ? 2 : 1);
  // Replicas add fp32 sums, whatever travelled inside a sharding group; each has a share of the 2 (R - 1) N, and of
  // each collective a share that is rounded up.
  const uint64_t replicated = numel + static_cast<uint64_t>(c.data_ranks()) * CollectivesOfAll(c, limits);
  most.bytes += 2 * (replicas - 1) * replicated * 4 * ReductionsOf(c) / replicas;
  most.bytes += parameter_bytes * GathersOf(c);
  return most;
}

/// The least number of times that the gradient of a parameter travels, in all ranks that have the parameter.
uint64_t LeastTravels(const Case& c, int parameter, bool on_all_tensor_ranks) {
  const auto ranks = static_cast<uint64_t>(c.shards_of(parameter) * c.replicas);
  const auto tensor = static_cast<uint64_t>(c.tensor);
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
  if (!e.model) {
    most.calls =
        CollectivesOfAll(c, limits) * std::max(ReductionsOf(c) + GathersOf(c), uint64_t{2}) * (c.replicas > 1 ? 2 : 1);
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
    bytes += LeastTravels(c, p, replicated[static_cast<size_t>(p)]) *
             static_cast<uint64_t>(e.parameters[static_cast<size_t>(p)].numel()) * element_bytes;
  }
  if (all_learn) bytes += static_cast<uint64_t>(c.data_ranks() * e.micro_batches) * TensorTrafficOf(c).least_bytes;
  return bytes;
}

}  // namespace zerocts
