#include "conformance/check/cost/memory.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/check/cost/memory_growth.hpp"
#include "conformance/check/cost/row_share.hpp"
#include "conformance/check/finding/sentences.hpp"

namespace zerocts {
namespace {

constexpr int64_t kStateBytes = 4;  // master weights and moments are fp32

int64_t Moments(const Experiment& e) { return static_cast<int64_t>(MomentNames(e.optimizer).size()); }

int64_t ElementBytes(const Experiment& e, int parameter) {
  return PrecisionOf(e, parameter) == Precision::kBf16 ? 2 : 4;
}

/// Elements with optimizer state of what a rank has.
int64_t StateNumel(const Case& c, int rank) {
  const Experiment& e = c.experiment;
  int64_t numel = 0;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    if (e.roles.HasState(p) && c.RankHas(rank, p)) numel += e.parameters[static_cast<size_t>(p)].numel();
  }
  return numel;
}

/// Counts the bytes of all parameters that a rank has; tied names count once.
int64_t ParameterBytes(const Case& c, int rank) {
  const Experiment& e = c.experiment;
  int64_t bytes = 0;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    if (e.roles.OwnerOf(p) != p || !c.RankHas(rank, p)) continue;
    bytes += e.parameters[static_cast<size_t>(p)].numel() * ElementBytes(e, p);
  }
  return bytes;
}

/// Moments that exist even in a subject that leaves out momentum where a group has none.
int64_t NeededMoments(const Experiment& e) {
  const auto has_none = [](const HyperParameters& group) { return group.momentum == 0; };
  return !HasSecondMoments(e.optimizer) && std::ranges::any_of(e.groups, has_none) ? 0 : Moments(e);
}

/// What a rank owns.
struct OwnedElements {
  int64_t numel = 0;
  int64_t bf16_numel = 0;       // of them in bf16 parameters, which need masters
  int64_t parameter_bytes = 0;  // of them as parameters
};

OwnedElements OwnedBy(const Experiment& e, const RankObservation& rank) {
  OwnedElements owned;
  for (size_t p = 0; p < rank.owned.size(); ++p) {
    const int64_t element_bytes = ElementBytes(e, static_cast<int>(p));
    for (const Interval& interval : rank.owned[p]) {
      const int64_t numel = interval.end - interval.begin;
      owned.numel += numel;
      if (element_bytes == 2) owned.bf16_numel += numel;
      owned.parameter_bytes += numel * element_bytes;
    }
  }
  return owned;
}

/// The most elements with optimizer state that one of W ranks may hold, and how that is made.
struct ShareOfRank {
  int64_t numel;
  std::string formula;
};

/// The share of the dense parameters, or of those of one expert, sharded over W ranks.
ShareOfRank ShareOf(const Experiment& e, int expert, int64_t W, Granularity granularity) {
  int64_t total = 0, by_rows = 0, largest = 0;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    const ParameterSpec& parameter = e.parameters[static_cast<size_t>(p)];
    if (!e.roles.HasState(p) || e.experts.ExpertOf(p) != expert) continue;
    total += parameter.numel();
    by_rows += RowShare(parameter, W);
    largest = std::max(largest, parameter.numel());
  }
  const int64_t even = (total + W - 1) / W;
  if (W == 1) return {total, fmt::format("ceil({} / {})", total, W)};
  switch (granularity) {
    case Granularity::kElement: return {even, fmt::format("ceil({} / {})", total, W)};
    case Granularity::kRow:
      return {by_rows, fmt::format("{} = the sum of ceil(rows / {}) rows of each parameter", by_rows, W)};
    case Granularity::kTensor:
      return {even + largest, fmt::format("(ceil({} / {}) + {} of the largest tensor)", total, W, largest)};
  }
  throw std::invalid_argument("Granularity out of range");
}

/// The rank's share of the dense parameters, and of those of its expert, if there are any.
ShareOfRank ShareOf(const Case& c, int rank, Granularity granularity) {
  const Experiment& e = c.experiment;
  const int64_t S = c.stage == 0 ? 1 : c.shards(), of_expert = c.stage == 0 ? 1 : c.shards() / e.experts.count;
  const ShareOfRank dense = ShareOf(e, Experts::kDense, S, granularity);
  if (e.experts.count == 1) return dense;
  const ShareOfRank own = ShareOf(e, e.experts.OfRank(c.data_rank_of(rank)), of_expert, granularity);
  return {dense.numel + own.numel, fmt::format("({} + {} of its expert's ranks)", dense.formula, own.formula)};
}

/// ZeRO's promise: ceil(total / W) elements per rank (stage 0: all; W ranks of a sharding group), more where rows or
/// tensors are not cut: from stage 1 on of
/// moments and one fp32 master, from stage 2 on of gradients, in stage 3 of parameters. fp32 training needs no master
/// of its own, yet a subject may keep one, so it is allowed in both precisions.
std::optional<Finding> CheckShare(const Case& c, const RankObservation& rank, const ShareLimits& limits) {
  const Experiment& e = c.experiment;
  const int64_t slack_bytes = limits.slack_bytes;
  const ShareOfRank share = ShareOf(c, rank.rank, limits.granularity);
  const auto check = [&](uint64_t MemoryReading::*bytes, const std::string& what, int64_t element_bytes,
                         const std::string& elements) -> std::optional<Finding> {
    const uint64_t bound = static_cast<uint64_t>(share.numel * element_bytes + slack_bytes);
    for (const Figure& held :
         {Figure{rank.reported.*bytes, FigureSource::kSubject}, Figure{rank.allocated.*bytes, FigureSource::kHost}}) {
      if (held.bytes <= bound) continue;
      return Found(
          fmt::format("rank {} holds {} bytes of {} ({}): expected at most {} = {} elements x {} bytes ({}) + {} "
                      "bytes of declared slack",
                      rank.rank, held.bytes, what, held.SourceInWords(), bound, share.formula, element_bytes, elements,
                      slack_bytes));
    }
    return std::nullopt;
  };
  const int64_t states = kStateBytes * (Moments(e) + 1);
  if (auto finding = check(&MemoryReading::optimizer_bytes, "optimizer state", states,
                           fmt::format("master and {} moments, fp32", Moments(e)))) {
    return finding;
  }
  const bool sums_wait =
      e.micro_batches > 1 && c.gradient_sync == GradientSync::kLastMicroBatch;  // whole, for other ranks
  if (c.stage >= 2 && !sums_wait) {
    if (auto finding = check(&MemoryReading::gradient_bytes, "gradients", kStateBytes, "fp32")) return finding;
  }
  const bool one_dtype = e.roles.precisions.empty() && e.roles.buffers.empty();
  if (c.stage == 3 && one_dtype) {
    return check(&MemoryReading::parameter_bytes, "parameters", e.precision == Precision::kBf16 ? 2 : 4,
                 ToString(e.precision));
  }
  return std::nullopt;
}

/// What must be there: the state of the elements that the rank owns, and the parameters of its stage.
std::optional<Finding> CheckEnough(const Case& c, const RankObservation& rank) {
  const Experiment& e = c.experiment;
  const OwnedElements owned = OwnedBy(e, rank);
  const int64_t states = kStateBytes * (owned.numel * NeededMoments(e) + owned.bf16_numel);
  if (rank.reported.optimizer_bytes < static_cast<uint64_t>(states)) {
    return Found(fmt::format(
        "rank {} reports {} bytes of optimizer state: expected at least {} for the {} elements that it owns", rank.rank,
        rank.reported.optimizer_bytes, states, owned.numel));
  }
  // A shard of fp32 weights is parameter and master at once, so only the sum is known; in stage 3 the bf16 parameters
  // may be made of the masters whenever they are gathered.
  const int64_t fp32_shard = (owned.numel - owned.bf16_numel) * kStateBytes;
  const int64_t needed = states + (c.stage == 3 ? fp32_shard : ParameterBytes(c, rank.rank));
  const uint64_t reported = rank.reported.parameter_bytes + rank.reported.optimizer_bytes;
  if (reported < static_cast<uint64_t>(needed)) {
    return Found(
        fmt::format("rank {} reports {} bytes of parameters and optimizer state: expected at least {} in stage {}",
                    rank.rank, reported, needed, c.stage));
  }
  return std::nullopt;
}

constexpr struct {
  const char* name;
  uint64_t MemoryReading::*bytes;
} kKinds[] = {{"parameters", &MemoryReading::parameter_bytes},
              {"gradients", &MemoryReading::gradient_bytes},
              {"optimizer state", &MemoryReading::optimizer_bytes},
              {"buffers", &MemoryReading::buffer_bytes}};

/// What the host handed out is held, kind by kind; a subject cannot hold less.
std::optional<Finding> CheckAgainstHost(const RankObservation& rank) {
  for (const auto& [kind, bytes] : kKinds) {
    if (rank.reported.*bytes < rank.allocated.*bytes) {
      return Found(fmt::format(
          "rank {} reports {} bytes of {}: expected at least {}, which the host handed out and did not get back",
          rank.rank, rank.reported.*bytes, kind, rank.allocated.*bytes));
    }
  }
  return std::nullopt;
}

/// The host handed out all that the ranks hold, or they tell.
FigureSource SourceOfHeld(const std::vector<RankObservation>& ranks) {
  const auto is_counted = [](const RankObservation& rank) { return rank.allocated == rank.reported; };
  return std::ranges::all_of(ranks, is_counted) ? FigureSource::kHost : FigureSource::kSubject;
}

std::optional<Finding> CheckPeak(const RankObservation& rank, const MemoryPlan& plan) {
  if (plan.estimated_peak_bytes != plan.peak_bytes) {
    return Found(fmt::format("rank {} held {} bytes at its peak: expected {}, as it estimated", rank.rank,
                             plan.peak_bytes, plan.estimated_peak_bytes));
  }
  const uint64_t least = std::max(rank.allocated_peak_bytes, rank.reported.total());
  if (plan.peak_bytes < least) {
    return Found(
        fmt::format("rank {} says that it held {} bytes at its peak: expected at least {} ({} held after the last "
                    "step, {} handed out by the host at once)",
                    rank.rank, plan.peak_bytes, least, rank.reported.total(), rank.allocated_peak_bytes));
  }
  return std::nullopt;
}

/// Bytes of what a rank owns that offload keeps on the host: its parameters and their state; with kFull the fp32 mean
/// gradient too.
uint64_t LeastOffloaded(const Case& c, const RankObservation& rank) {
  if (c.offload == Offload::kNone) return 0;
  const OwnedElements owned = OwnedBy(c.experiment, rank);
  const int64_t per_element = NeededMoments(c.experiment) + (c.offload == Offload::kFull ? 1 : 0);
  return static_cast<uint64_t>(kStateBytes * (owned.numel * per_element + owned.bf16_numel) + owned.parameter_bytes);
}

std::optional<Finding> CheckOffloaded(const Case& c, const RankObservation& rank, const MemoryPlan& plan) {
  const uint64_t least = LeastOffloaded(c, rank);
  const uint64_t most = c.offload == Offload::kNone ? 0 : rank.reported.total();
  if (plan.offloaded_bytes >= least && plan.offloaded_bytes <= most) return std::nullopt;
  return Found(fmt::format("rank {} keeps {} bytes on the host: expected {} to {} with offload {}", rank.rank,
                           plan.offloaded_bytes, least, most, ToString(c.offload)));
}

/// Bytes of the moments of what a rank has and others own, [ranks].
std::vector<int64_t> MomentsOfOthers(const Case& c, const std::vector<RankObservation>& ranks) {
  const Experiment& e = c.experiment;
  std::vector<int64_t> bytes;
  for (const RankObservation& rank : ranks)
    bytes.push_back((StateNumel(c, rank.rank) - OwnedBy(e, rank).numel) * Moments(e) * kStateBytes);
  return bytes;
}

}  // namespace

std::optional<Finding> CheckMemory(const Case& c, const std::vector<RankObservation>& ranks, const ShareLimits& limits,
                                   Evidence& evidence) {
  for (const RankObservation& rank : ranks) {
    if (auto finding = CheckShare(c, rank, limits)) return finding;
    if (auto finding = CheckEnough(c, rank)) return finding;
    if (auto finding = CheckAgainstHost(rank)) return finding;
  }
  if (limits.device_memory) {
    evidence.Add(FigureSource::kSubject);
    return std::nullopt;
  }
  evidence.Add(SourceOfGrowth(ranks, MomentsOfOthers(c, ranks)));
  for (const RankObservation& rank : ranks) {
    for (const std::string& name : rank.unread) evidence.AddUnread(name);
  }
  return CheckGrowth(c, ranks);
}

std::optional<Finding> CheckMemoryEstimate(const Case& c, const std::vector<RankObservation>& ranks,
                                           Evidence& evidence) {
  evidence.Add(SourceOfHeld(ranks));
  for (const RankObservation& rank : ranks) {
    if (!rank.memory_plan) return Found(fmt::format("rank {} gave no estimate, although it declares them", rank.rank));
    const MemoryPlan& plan = *rank.memory_plan;
    for (const auto& [kind, bytes] : kKinds) {
      if (rank.reported.*bytes == plan.estimated.*bytes) continue;
      return Found(fmt::format("rank {} holds {} bytes of {}: expected {}, as it estimated", rank.rank,
                               rank.reported.*bytes, kind, plan.estimated.*bytes));
    }
    if (auto finding = CheckPeak(rank, plan)) return finding;
    if (auto finding = CheckOffloaded(c, rank, plan)) return finding;
  }
  return std::nullopt;
}

}  // namespace zerocts
