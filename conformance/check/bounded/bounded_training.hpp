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

/// What has bounds at all: an MLP or a small GPT on text, without roles and loss scaling. "" or a sentence.
std::string BeyondBounds(const Experiment& experiment);
/// What has bounds behind an update: an MLP by SGD, Adam or AdamW. "" or a sentence.
std::string BeyondWalk(const Experiment& experiment);
/// Both, and all in fp32, so that each number has a bound that says something.
std::string BeyondBoundedTraining(const Experiment& experiment);

/// Initial values have no error; what parameters may err after one step flows into the next. Throws
/// std::invalid_argument with BeyondBoundedTraining(experiment), std::runtime_error when a bound is not finite.
std::vector<BoundedStep> BoundedTraining(const Experiment& experiment);

}  // namespace zerocts
