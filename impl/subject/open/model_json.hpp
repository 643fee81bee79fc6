// The model's JSON of zerocts_open_args.
#pragma once
#include "reference/model/model_spec.hpp"

namespace zerocts::engine {

/// Throws std::invalid_argument with a sentence: not JSON, or no model that makes sense.
ModelSpec ModelSpecFromText(const char* text);

}  // namespace zerocts::engine
