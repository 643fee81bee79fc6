// What an engine remembers from step to step beside its tensors: the same value on every rank.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/optim/hyper_parameters.hpp"
#include "reference/optim/loss_scale.hpp"
#include "reference/optim/step.hpp"

namespace zerocts::engine {

struct EngineProgress {
  int64_t steps = 0;  // made so far, skipped ones included
  LossScaleState loss_scale;
  std::vector<HyperParameters> groups;
  std::vector<BetaProducts> products;  // of each parameter
  std::vector<bool> frozen;            // likewise
};

}  // namespace zerocts::engine
