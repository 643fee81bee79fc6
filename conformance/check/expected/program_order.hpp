// Everything that a group of ranks showed, in the order in which a training program makes it.
#pragma once
#include <vector>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// A piece of a tensor, or a step's scalars: once as losses (Phase::kMicroBatch), once as norm (Phase::kNorm).
struct Shown {
  int64_t step;
  Phase phase;
  int rank;
  const TensorRecord* record = nullptr;
  const StepScalars* scalars = nullptr;
};

/// By step, phase, rank, parameter, tensor, element. Points into `ranks`.
std::vector<Shown> InProgramOrder(const std::vector<RankObservation>& ranks);

}  // namespace zerocts
