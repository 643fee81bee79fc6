// What makes hyper-parameters of a group senseless.
#pragma once
#include <string>

#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

/// One sentence about the first wrong one, which begins with `field`; "" when there is none.
std::string HyperParameterProblem(const std::string& field, const HyperParameters& values);

}  // namespace zerocts
