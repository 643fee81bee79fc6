// The model's JSON of zerocts_open_args.
#pragma once
#include "reference/model/model.hpp"

namespace zerocts {

/// Throws std::invalid_argument with a sentence: not JSON, or not an MLP.
MlpSpec MlpSpecFromText(const char* text);

}  // namespace zerocts
