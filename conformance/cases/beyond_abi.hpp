// What an experiment may ask for and zerocts_subject.h has no words for yet.
#pragma once
#include <string>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// "" or the first feature of the experiment that cannot be told to a subject: "loss scaling (zerocts_subject.h version
/// 1 cannot say it)". A case with such a feature is unsupported; it is never run without it.
std::string BeyondAbi(const Experiment& experiment);

}  // namespace zerocts
