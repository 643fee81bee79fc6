// Changes of an experiment that keep what it says of single parameters, steps and micro-batches in step with the rest.
#pragma once
#include <functional>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Before parameter `position` (or behind the last); who stood there moves on in every role and planted value.
void InsertParameter(Experiment& experiment, int position, ParameterSpec parameter);

/// Keeps the parameters for which `keep(index)` holds, with their roles and planted values.
void KeepParameters(Experiment& experiment, const std::function<bool(int)>& keep);

/// Drops roles and planted values of steps, micro-batches and elements that the experiment does not have (any more),
/// and as many replicas as it takes to have a number that divides the ranks.
void DropWhatDoesNotFit(Case& c);

}  // namespace zerocts
