#include "conformance/watch/clips.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/watch/additions.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::watch {
namespace {

constexpr double kTorchEpsilon = 1e-6;  // added to the norm before the division
constexpr double kUnitRoundoff = 0x1p-24;

}  // namespace

std::optional<NormOfRank> NormOf(const std::map<int, ClipRecord>& call, int rank, const ObservedRun& run) {
  const auto own = call.find(rank);
  if (own == call.end() || own->second.norm_type != 2 || call.size() < static_cast<size_t>(run.world()))
    return std::nullopt;
  std::set<std::string> names;
  for (const int64_t parameter : own->second.parameters) {
    const ParameterRecord* place = run.Find(rank, parameter);
    if (!place || !place->is_placed()) return std::nullopt;
    names.insert(place->name);
  }
  std::map<ParameterRecord::Part, double> parts;
  int64_t largest = 1;
  for (const auto& [other, r] : call) {
    for (size_t i = 0; i < r.parameters.size(); ++i) {
      const ParameterRecord* place = run.Find(other, r.parameters[i]);
      if (!place || !names.contains(place->name)) continue;
      if (!place->is_sharded() && other != rank) continue;
      parts.try_emplace(place->part(), r.squares[i]);
      largest = std::max(largest, plan::Product(place->local));
    }
  }
  std::vector<double> squares;
  for (const auto& [part, sum] : parts) squares.push_back(sum);
  NormOfRank result;
  result.norm = std::sqrt(ExactSum(squares));
  // A vectorised sum of squares adds in at least eight lanes; then tensors and ranks are added.
  const double additions = static_cast<double>(largest) / 8 + static_cast<double>(parts.size()) + run.world() + 16;
  result.error = additions * kUnitRoundoff;
  const std::optional<double> max_norm = own->second.max_norm;
  if (max_norm) result.coefficient = std::min(1.0, *max_norm / (result.norm + kTorchEpsilon));
  return result;
}

}  // namespace zerocts::watch
