#include "conformance/check/expected/program_order.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace zerocts {
namespace {

auto KeyOf(const Shown& shown) {
  const TensorRecord* record = shown.record;
  return std::make_tuple(shown.step, shown.phase, shown.rank, record ? record->parameter : -1,
                         record ? std::string_view(record->what) : "", record ? record->interval.begin : 0);
}

}  // namespace

std::vector<Shown> InProgramOrder(const std::vector<RankObservation>& ranks) {
  std::vector<Shown> all;
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      all.push_back({record.step, PhaseOf(record.what, record.step), rank.rank, &record, nullptr});
    }
    for (const StepScalars& scalars : rank.scalars) {
      all.push_back({scalars.step, Phase::kMicroBatch, rank.rank, nullptr, &scalars});
      all.push_back({scalars.step, Phase::kNorm, rank.rank, nullptr, &scalars});
    }
  }
  std::sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) { return KeyOf(a) < KeyOf(b); });
  return all;
}

}  // namespace zerocts
