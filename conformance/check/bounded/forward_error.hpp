// How far a loss may be off by what every unit of a model errs, to first order: what a unit gives errs by what it adds
// itself, and moves the loss by the gradient there. Deep models need it: bounds of bounds grow with every unit.
#pragma once
#include <vector>

#include "conformance/check/bounded/bounded_training.hpp"

namespace zerocts {

/// The error of sum(upstream * output) of the chain, for exact parameters and inputs.
double ForwardError(const oracle::Chain& chain, const oracle::Tensors<double>& parameters,
                    const std::vector<double>& in, std::vector<double> upstream);

}  // namespace zerocts
