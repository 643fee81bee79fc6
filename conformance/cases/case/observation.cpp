#include "conformance/cases/case/observation.hpp"

#include <array>

namespace zerocts {

std::string ToString(Phase phase) {
  constexpr std::array kNames = {"load", "micro-batch", "gradient", "reduce", "norm", "update", "gather", "resume"};
  return kNames[static_cast<size_t>(phase)];
}

std::string ToString(Ending ending) {
  constexpr std::array kNames = {"observed", "unsupported", "refused",      "crash", "early exit",
                                 "hang",     "garbage",     "disagreement", "breach"};
  return kNames[static_cast<size_t>(ending)];
}

Phase PhaseOf(const std::string& what, int64_t step) {
  if (step < 0) return Phase::kLoad;
  if (IsAfterResume(what)) return Phase::kResume;
  if (what == "parameter_before_step") return Phase::kMicroBatch;
  if (what == "gradient") return Phase::kReduce;
  if (what == "parameter" || what == "parameter_again") return Phase::kGather;
  return Phase::kUpdate;
}

}  // namespace zerocts
