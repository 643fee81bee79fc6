// Whole training steps: forward and backward of the model, reduction, optimizer, gather.
#pragma once
#include <string>
#include <vector>

#include "bench/engine/spans.hpp"
#include "bench/engine/workload.hpp"

namespace zerocts {

struct TrainingTimes {
  std::vector<double> seconds;   // [steps], each of the slowest rank
  std::vector<StepParts> parts;  // [steps], of rank 0
};

/// `steps` steps after one that is not measured; all ranks begin a step together. `transport` is "threads" or "shm".
TrainingTimes MeasureTraining(const std::string& transport, const Workload& workload, int ranks, int64_t steps);

}  // namespace zerocts
