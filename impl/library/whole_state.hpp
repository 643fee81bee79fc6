// A state of a whole parameter, which its owners hold piece by piece.
#pragma once
#include <string>
#include <vector>

#include "impl/library/ends.hpp"
#include "impl/stages/engine/engine.hpp"

namespace zerocts::library {

using Tensors = std::vector<std::vector<float>>;  // [parameters][numel]

/// The masters and the moments.
std::vector<std::string> StateNames(const engine::Engine& engine);

/// All elements of a state, on every rank. Collective.
std::vector<float> WholeState(engine::Engine& engine, const Communicator::Ends& ends, const std::string& state,
                              int parameter);

/// Each owner takes its elements.
void WriteWholeState(engine::Engine& engine, const std::string& state, int parameter, const std::vector<float>& values);

}  // namespace zerocts::library
