#include "conformance/watch/looked_at_steps.hpp"

namespace zerocts::watch {
namespace {

bool IsOfTheRun(const Record& record) {
  return std::holds_alternative<StartRecord>(record) || std::holds_alternative<ParameterRecord>(record) ||
         std::holds_alternative<OptimizerRecord>(record) || std::holds_alternative<OffRecord>(record) ||
         std::holds_alternative<EndRecord>(record);
}

}  // namespace

std::optional<int64_t> LookedAtSteps::Of(const Record& record) {
  if (IsOfTheRun(record)) return std::nullopt;
  Rank& rank = ranks_[RankOf(record)];
  const auto* step = std::get_if<StepRecord>(&record);
  if (step && !rank.made.insert(step->at.optimizer).second) {
    ++rank.step;  // no forward of a followed model came in between
    rank.made = {step->at.optimizer};
  }
  if (!std::holds_alternative<ReadRecord>(record)) return rank.step;
  rank.made.clear();
  return rank.step++;  // what is read now is what this step left
}

}  // namespace zerocts::watch
