// How large the window of tensor ranks becomes, known before there is one.
#pragma once
#include <cstdint>

#include "impl/stages/arrangement/engine_settings.hpp"

namespace zerocts::engine {

/// Floats that the layers of tensor rank `tensor_rank` ask of TensorGroup::Window in a micro-batch of settings.batch
/// sequences: the same layers run on nothing, and what they ask for is counted. 0 where the batch is not known. Local.
int64_t TensorWindowNumel(const EngineSettings& settings, int tensor_rank);

}  // namespace zerocts::engine
