// Real training in exact arithmetic (double), each number with a bound on how far any fp32 evaluation of it may be off.
#pragma once
#include <string>
#include <vector>

#include "conformance/check/bounded/training_walk.hpp"

namespace zerocts {

/// fp32 in any order of addition, with or without fma; exp, log and tanh to 4 units of 2^-23, as vectorised libraries
/// (SLEEF, SVML, VML, CUDA's) have them.
using Bounded = RunningError<4>;
using BoundedTensors = std::vector<std::vector<Bounded>>;  // [parameters][numel]
using BoundedStep = WalkedStep<Bounded>;

/// What can be walked: an MLP on text, all in fp32, by SGD without roles and loss scaling. "" or a sentence.
std::string BeyondBoundedTraining(const Experiment& experiment);

/// Initial values have no error; what parameters may err after one step flows into the next. Throws
/// std::invalid_argument with BeyondBoundedTraining(experiment), std::runtime_error when a bound is not finite.
std::vector<BoundedStep> BoundedTraining(const Experiment& experiment);

}  // namespace zerocts
