// What makes the training semantics of an experiment senseless.
#pragma once
#include <string>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Formula, loss scaling, roles of parameters, planted values: "" or one sentence. The rest of the experiment has to be
/// without a problem.
std::string SemanticsProblem(const Experiment& experiment);

}  // namespace zerocts
