// An experiment for the engine's ranks.
#pragma once
#include "impl/stages/for_test/engines.hpp"
#include "reference/experiment/experiment.hpp"

namespace zerocts::engine {

/// Its settings and initial values; what is computed, gradients or tokens, is the caller's to add.
TestRun RunOfExperiment(const Experiment& e, int stage);

}  // namespace zerocts::engine
