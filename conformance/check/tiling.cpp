// Ownership as interval arithmetic.
#include <algorithm>

#include "conformance/check/sentences.hpp"

namespace zerocts {
namespace {

struct OwnedPiece {
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

/// Pieces of one parameter over all ranks, or of one rank: every element exactly once.
std::optional<Finding> CheckCover(const ParameterSpec& parameter, std::vector<OwnedPiece> pieces,
                                  const std::string& owners) {
  std::sort(pieces.begin(), pieces.end(),
            [](const OwnedPiece& a, const OwnedPiece& b) { return a.interval.begin < b.interval.begin; });
  int64_t covered = 0;
  int owner = -1;  // of the element before `covered`
  const auto gap = [&](int64_t end) {
    return Found(fmt::format("elements {} of {} are not owned by {}: expected all of its {} elements",
                             Text({covered, end}), parameter.name, owners, parameter.numel()));
  };
  for (const auto& [interval, rank] : pieces) {
    if (interval.begin > covered) return gap(interval.begin);
    if (interval.begin < covered) {
      const Interval twice{interval.begin, std::min(covered, interval.end)};
      return Found(fmt::format("elements {} of {} are owned by ranks {} and {}: expected one owner", Text(twice),
                               parameter.name, std::min(owner, rank), std::max(owner, rank)));
    }
    covered = interval.end;
    owner = rank;
  }
  if (covered < parameter.numel()) return gap(parameter.numel());
  return std::nullopt;
}

}  // namespace

std::optional<Finding> CheckTiling(const Case& c, const std::vector<RankObservation>& ranks) {
  const std::vector<ParameterSpec>& parameters = c.experiment.parameters;
  for (const RankObservation& rank : ranks) {
    if (rank.owned.size() != parameters.size()) {
      return Found(fmt::format("rank {} tells what it owns of {} parameters: expected {}", rank.rank, rank.owned.size(),
                               parameters.size()));
    }
  }
  for (size_t p = 0; p < parameters.size(); ++p) {
    std::vector<OwnedPiece> of_all;
    for (const RankObservation& rank : ranks) {
      if (auto finding = CheckIntervals(parameters[p], rank.rank, rank.owned[p])) return finding;
      std::vector<OwnedPiece> of_rank;
      for (const Interval& interval : rank.owned[p]) of_rank.push_back({interval, rank.rank});
      if (c.stage == 0) {
        if (auto finding = CheckCover(parameters[p], of_rank, fmt::format("rank {} in stage 0", rank.rank))) {
          return finding;
        }
      }
      of_all.insert(of_all.end(), of_rank.begin(), of_rank.end());
    }
    if (c.stage == 0) continue;
    if (auto finding = CheckCover(parameters[p], std::move(of_all), "any rank")) return finding;
  }
  return std::nullopt;
}

}  // namespace zerocts
