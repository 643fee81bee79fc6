#include "conformance/check/observation/tiling.hpp"

#include <algorithm>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/case/tensor_parts.hpp"
#include "conformance/check/finding/sentences.hpp"

namespace zerocts {
namespace {

struct RankPiece {
  Interval interval;
  int rank;
};

/// Each interval alone: inside the parameter, not empty, ascending.
std::optional<Finding> CheckIntervals(const ParameterSpec& parameter, int rank,
                                      const std::vector<Interval>& intervals) {
  int64_t end = 0;
  for (const Interval& interval : intervals) {
    if (interval.begin < 0 || interval.end > parameter.numel()) {
      return Found(fmt::format("rank {} owns {} of {}: expected intervals inside its {} elements", rank, Text(interval),
                               parameter.name, parameter.numel()));
    }
    if (interval.begin >= interval.end) {
      return Found(
          fmt::format("rank {} owns {} of {}: expected no empty interval", rank, Text(interval), parameter.name));
    }
    if (interval.begin < end) {
      return Found(fmt::format(
          "rank {} owns {} of {} after an interval that ends at {}: expected ascending intervals without overlap", rank,
          Text(interval), parameter.name, end));
    }
    end = interval.end;
  }
  return std::nullopt;
}

/// The owners of elements of one parameter: the ranks of a sharding group, or one rank.
struct Owners {
  std::string name;  // "any rank", "any rank of replica 1"
  std::vector<RankPiece> pieces;

  void Add(const RankObservation& rank, size_t p) {
    for (const Interval& interval : rank.owned[p]) pieces.push_back({interval, rank.rank});
  }
};

/// Every element of `part` exactly once, and no others. The part's intervals ascend.
std::optional<Finding> CheckCover(const ParameterSpec& parameter, const std::vector<Interval>& part, Owners owners) {
  std::ranges::sort(owners.pieces, {}, [](const RankPiece& piece) { return piece.interval.begin; });
  int64_t numel = 0;
  for (const Interval& interval : part) numel += interval.end - interval.begin;
  const auto gap = [&](const Interval& missing) {
    return Found(fmt::format("elements {} of {} are not owned by {}: expected all of its {} elements", Text(missing),
                             parameter.name, owners.name, numel));
  };
  const auto foreign = [&](const RankPiece& piece) {
    return Found(fmt::format("rank {} owns {} of {}: expected nothing outside of the part that its tensor rank has",
                             piece.rank, Text(piece.interval), parameter.name));
  };
  auto piece = owners.pieces.begin();
  for (const Interval& wanted : part) {
    int64_t covered = wanted.begin;
    int owner = -1;  // of the element before `covered`
    for (; piece != owners.pieces.end() && piece->interval.begin < wanted.end; ++piece) {
      const auto& [interval, rank] = *piece;
      if (interval.begin > covered) return gap({covered, interval.begin});
      if (interval.begin < wanted.begin || interval.end > wanted.end) return foreign(*piece);
      if (interval.begin < covered) {
        const Interval twice{interval.begin, std::min(covered, interval.end)};
        return Found(fmt::format("elements {} of {} are owned by ranks {} and {}: expected one owner", Text(twice),
                                 parameter.name, std::min(owner, rank), std::max(owner, rank)));
      }
      covered = interval.end;
      owner = rank;
    }
    if (covered < wanted.end) return gap({covered, wanted.end});
  }
  if (piece != owners.pieces.end()) return foreign(*piece);
  return std::nullopt;
}

/// "any rank", "any rank of replica 1", "any rank of tensor rank 0", "any rank of expert 2".
std::string OwnersOf(const Case& c, int replica, int tensor_rank, int parameter) {
  std::string name = "any rank";
  const int expert = c.experiment.experts.ExpertOf(parameter);
  if (expert != Experts::kDense) name += fmt::format(" of expert {}", expert);
  if (c.replicas > 1) name += fmt::format(" of replica {}", replica);
  if (c.tensor > 1) name += fmt::format(" of tensor rank {}", tensor_rank);
  return name;
}

/// [tensor rank][parameter]
using Parts = std::vector<std::vector<std::vector<Interval>>>;

/// Every element of what a tensor rank has, once per sharding group. `ranks` own well-formed intervals.
std::optional<Finding> CheckGroups(const Case& c, const std::vector<RankObservation>& ranks, const Parts& parts,
                                   size_t p) {
  for (int replica = 0; replica < c.replicas; ++replica) {
    for (int tensor_rank = 0; tensor_rank < c.tensor; ++tensor_rank) {
      Owners group{OwnersOf(c, replica, tensor_rank, static_cast<int>(p)), {}};
      for (int shard = 0; shard < c.shards(); ++shard) {
        group.Add(ranks[static_cast<size_t>((replica * c.shards() + shard) * c.tensor + tensor_rank)], p);
      }
      const std::vector<Interval>& part = parts[static_cast<size_t>(tensor_rank)][p];
      if (auto finding = CheckCover(c.experiment.parameters[p], part, std::move(group))) return finding;
    }
  }
  return std::nullopt;
}

/// Intervals that touch are one.
std::vector<Interval> Joined(const std::vector<Interval>& intervals) {
  std::vector<Interval> joined;
  for (const Interval& interval : intervals) AppendJoined(interval, joined);
  return joined;
}

/// Ranks at the same position of their sharding groups own the same.
std::optional<Finding> CheckReplicas(const Case& c, const std::vector<RankObservation>& ranks, size_t p) {
  const size_t group_size = static_cast<size_t>(c.world_size() / c.replicas);
  for (size_t rank = group_size; rank < ranks.size(); ++rank) {
    const size_t first = rank % group_size;
    if (Joined(ranks[rank].owned[p]) == Joined(ranks[first].owned[p])) continue;
    return Found(
        fmt::format("ranks {} and {}, at position {} of their sharding groups, own different elements of {}: "
                    "expected the same in every replica",
                    first, rank, first, c.experiment.parameters[p].name));
  }
  return std::nullopt;
}

std::optional<Finding> CheckOneParameter(const Case& c, const std::vector<RankObservation>& ranks, const Parts& parts,
                                         size_t p) {
  const ParameterSpec& parameter = c.experiment.parameters[p];
  const bool has_state = c.experiment.roles.HasState(static_cast<int>(p));
  for (const RankObservation& rank : ranks) {
    if (auto finding = CheckIntervals(parameter, rank.rank, rank.owned[p])) return finding;
    if (!has_state && !rank.owned[p].empty()) {
      return Found(fmt::format("rank {} owns {} of {}, {}: expected nothing, it has no optimizer state", rank.rank,
                               Text(rank.owned[p].front()), parameter.name,
                               c.experiment.roles.IsBuffer(static_cast<int>(p)) ? "a buffer" : "a tied name"));
    }
  }
  if (!has_state) return std::nullopt;
  for (const RankObservation& rank : ranks) {
    if (c.RankHas(rank.rank, static_cast<int>(p)) || rank.owned[p].empty()) continue;
    return Found(fmt::format("rank {} owns {} of {}, which is of expert {}: expected nothing of other experts",
                             rank.rank, Text(rank.owned[p].front()), parameter.name,
                             c.experiment.experts.ExpertOf(static_cast<int>(p))));
  }
  if (c.stage > 0) {
    if (auto finding = CheckGroups(c, ranks, parts, p)) return finding;
    return CheckReplicas(c, ranks, p);
  }
  for (const RankObservation& rank : ranks) {
    if (!c.RankHas(rank.rank, static_cast<int>(p))) continue;
    Owners owner{fmt::format("rank {} in stage 0", rank.rank), {}};
    owner.Add(rank, p);
    const std::vector<Interval>& part = parts[static_cast<size_t>(c.tensor_rank_of(rank.rank))][p];
    if (auto finding = CheckCover(parameter, part, std::move(owner))) return finding;
  }
  return std::nullopt;
}

/// Every rank owns what the file of the case gives it.
std::optional<Finding> CheckPlanFile(const Case& c, const std::vector<RankObservation>& ranks) {
  const FilePlan file = LoadFilePlan(c.plan);
  for (const RankObservation& rank : ranks) {
    const auto& owned = file.owned[static_cast<size_t>(rank.rank) % file.owned.size()];
    for (size_t p = 0; p < owned.size(); ++p) {
      if (!file.SaysOwnersOf(static_cast<int>(p)) || Joined(rank.owned[p]) == owned[p]) continue;
      return Found(fmt::format("rank {} owns {} of {}: expected {}, as the plan file says", rank.rank,
                               Text(Joined(rank.owned[p])), c.experiment.parameters[p].name, Text(owned[p])));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> CheckTiling(const Case& c, const std::vector<RankObservation>& ranks) {
  const size_t parameters = c.experiment.parameters.size();
  if (static_cast<int>(ranks.size()) != c.world_size()) {
    return Found(fmt::format("{} ranks were observed: expected {}", ranks.size(), c.world_size()));
  }
  for (const RankObservation& rank : ranks) {
    if (rank.owned.size() == parameters) continue;
    return Found(fmt::format("rank {} tells what it owns of {} parameters: expected {}", rank.rank, rank.owned.size(),
                             parameters));
  }
  Parts parts;
  for (int tensor_rank = 0; tensor_rank < c.tensor; ++tensor_rank) parts.push_back(PartsOfTensorRank(c, tensor_rank));
  for (size_t p = 0; p < parameters; ++p) {
    if (auto finding = CheckOneParameter(c, ranks, parts, p)) return finding;
  }
  return IsPlanFile(c.plan) ? CheckPlanFile(c, ranks) : std::nullopt;
}

}  // namespace zerocts
