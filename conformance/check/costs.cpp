#include "conformance/check/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "conformance/check/row_share.hpp"

namespace zerocts {
namespace {

uint64_t ElementBytes(Precision precision) { return precision == Precision::kBf16 ? 2 : 4; }

bool IsCollective(const TimelineSpan& span) {
  return span.name == "reduce_scatter" || span.name == "all_gather" || span.name == "all_reduce";
}
bool IsCompute(const TimelineSpan& span) { return span.name == "forward" || span.name == "backward"; }

bool AtOnce(const TimelineSpan& a, const TimelineSpan& b) {
  return a.step == b.step && a.begin_ns < b.end_ns && b.begin_ns < a.end_ns;
}

/// What one replica's ranks moved in a step: gradients and parameters, without the few bytes of norms and flags.
struct Moved {
  uint64_t sent = 0, received = 0, reduce_scatter_calls = 0, all_gather_calls = 0;
  uint64_t with_small_talk = 0;  // received
};

/// Norms and flags, on every rank and step.
constexpr uint64_t kSmallTalk = 64 << 10;

void Add(const StepTraffic& step, bool all_reduces_gradients, Moved& moved) {
  for (const StepTraffic::Count& count : {step.reduce_scatter, step.all_gather, step.broadcast}) {
    moved.sent += count.sent_bytes;
    moved.received += count.received_bytes;
    moved.with_small_talk += count.received_bytes;
  }
  moved.with_small_talk += step.all_reduce.received_bytes;
  if (all_reduces_gradients) {
    moved.sent += step.all_reduce.sent_bytes - std::min(step.all_reduce.sent_bytes, kSmallTalk);
    moved.received += step.all_reduce.received_bytes - std::min(step.all_reduce.received_bytes, kSmallTalk);
  }
  moved.reduce_scatter_calls = std::max(moved.reduce_scatter_calls, step.reduce_scatter.calls);
  moved.all_gather_calls = std::max(moved.all_gather_calls, step.all_gather.calls);
}

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

/// Gradients of one rank are wanted on another.
bool NeedsTraffic(const Case& c) {
  const Experiment& e = c.experiment;
  if (c.world_size() == c.replicas) return false;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    if (e.roles.HasState(static_cast<int>(p)) && e.parameters[p].numel() > 0) return true;
  }
  return false;
}

}  // namespace

TrafficBound TrafficBoundOf(const Case& c, const TrafficLimits& limits) {
  const Experiment& e = c.experiment;
  const auto replicas = static_cast<uint64_t>(c.replicas);
  const uint64_t shards = static_cast<uint64_t>(c.world_size()) / replicas;
  const auto micro_batches = static_cast<uint64_t>(e.micro_batches);
  const uint64_t reductions = c.gradient_sync == GradientSync::kEach ? micro_batches : 1;

  uint64_t numel = 0, parameter_bytes = 0;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    if (!e.roles.HasState(static_cast<int>(p))) continue;
    const uint64_t padded = PaddedNumel(e.parameters[p], static_cast<int64_t>(shards), limits.granularity);
    numel += padded;
    parameter_bytes += padded * ElementBytes(PrecisionOf(e, static_cast<int>(p)));
  }
  const uint64_t gradient_bytes = numel * ElementBytes(e.reduction) * reductions;
  const uint64_t gathers = c.stage == 0 ? 0 : c.stage < 3 ? 1 : 2 * micro_batches;

  TrafficBound bound;
  bound.bytes = (shards - 1) * gradient_bytes * (c.stage == 0 ? 2 : 1);
  // Replicas add fp32 sums, whatever travelled inside a sharding group; each has a share of the 2 (R - 1) N, and of
  // each collective a share that is rounded up.
  const uint64_t replicated = numel + shards * replicas * CollectivesOfAll(e, limits);
  bound.bytes += 2 * (replicas - 1) * replicated * 4 * reductions / replicas;
  bound.bytes += (shards - 1) * parameter_bytes * gathers;
  if (!e.model) {  // all of it fits into one bucket of any usual size
    bound.calls = CollectivesOfAll(e, limits) * std::max(reductions + gathers, uint64_t{2}) * (replicas > 1 ? 2 : 1);
  }
  return bound;
}

std::optional<Finding> CheckTraffic(const Case& c, const std::vector<RankObservation>& ranks,
                                    const TrafficLimits& limits) {
  const TrafficBound bound = TrafficBoundOf(c, limits);
  const int shards = c.world_size() / c.replicas;
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    uint64_t sent = 0;
    const auto too_much = [&](const std::string& what, uint64_t bytes, uint64_t at_most) {
      return Finding{
          fmt::format("step {}: {} {} bytes of gradients and parameters, expected at most {} (stage {}, {} shards, "
                      "{} replicas, {} micro-batches)",
                      step, what, bytes, at_most, c.stage, shards, c.replicas, c.experiment.micro_batches),
          std::nullopt};
    };
    for (int replica = 0; replica < c.replicas; ++replica) {
      Moved moved;
      int counted = 0;
      for (int rank = replica * shards; rank < (replica + 1) * shards; ++rank) {
        for (const StepTraffic& traffic : ranks[rank].traffic) {
          if (traffic.step != step) continue;
          Add(traffic, c.stage == 0, moved);
          ++counted;
        }
      }
      if (counted != shards) {
        return Finding{fmt::format("step {}: {} of {} ranks counted what they moved", step, counted, shards),
                       std::nullopt};
      }
      if (moved.with_small_talk == 0 && NeedsTraffic(c)) {
        return Finding{
            fmt::format("step {}: the ranks of replica {} counted not one byte that they received, and had to meet",
                        step, replica),
            std::nullopt};
      }
      if (moved.received > bound.bytes) {
        return too_much(fmt::format("the ranks of replica {} received", replica), moved.received, bound.bytes);
      }
      sent += moved.sent;
      for (const auto& [what, calls] : {std::pair("reduce-scatters", moved.reduce_scatter_calls),
                                        std::pair("all-gathers", moved.all_gather_calls)}) {
        if (bound.calls == 0 || calls <= bound.calls) continue;
        return Finding{
            fmt::format("step {}: a rank of replica {} made {} {}, expected at most {} for {} parameters {}", step,
                        replica, calls, what, bound.calls, c.experiment.parameters.size(),
                        limits.parameters_per_unit ? fmt::format("in units of {}", limits.parameters_per_unit)
                                                   : "that fit into one bucket"),
            std::nullopt};
      }
    }
    const uint64_t at_most = bound.bytes * static_cast<uint64_t>(c.replicas);
    if (sent > at_most) return too_much("the ranks of all replicas sent", sent, at_most);
  }
  return std::nullopt;
}

std::optional<Finding> CheckOverlap(const Case& c, const std::vector<RankObservation>& ranks) {
  if (c.world_size() == 1) return std::nullopt;
  int64_t collectives = 0, computations = 0;
  for (const RankObservation& rank : ranks) {
    for (const TimelineSpan& collective : rank.timeline) {
      computations += IsCompute(collective);
      if (!IsCollective(collective)) continue;
      ++collectives;
      for (const TimelineSpan& compute : rank.timeline) {
        if (IsCompute(compute) && AtOnce(collective, compute)) return std::nullopt;
      }
    }
  }
  return Finding{
      fmt::format("none of {} collectives was under way while its rank computed one of {} forwards and backwards, "
                  "although overlap was asked for",
                  collectives, computations),
      std::nullopt};
}

}  // namespace zerocts
