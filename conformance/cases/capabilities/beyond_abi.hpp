// What an experiment may ask for and zerocts_subject.h has no words for.
#pragma once
#include <string>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// "" or the first feature of the experiment that cannot be told to a subject: "tied parameters of a model
/// (zerocts_subject.h version 1 cannot say it)". A case with such a feature is unsupported; it is never run without it.
///   a model's parameters      forward_backward computes what the model says: that the loss does not depend on one, or
///                             that
///   without gradient or tied  two are one (and in which order a backward pass adds their gradients), cannot be said of
///                             it
std::string BeyondAbi(const Experiment& experiment);

/// Dampening or Nesterov's momentum at some step.
bool HasSgdVariants(const Experiment& experiment);

}  // namespace zerocts
