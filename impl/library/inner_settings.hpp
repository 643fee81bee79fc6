// The public values as the engine's own.
#pragma once
#include <zerocts/library/settings.hpp>

#include "impl/stages/arrangement/engine_settings.hpp"

namespace zerocts::library {

zerocts::Precision Inner(Precision precision);
zerocts::HyperParameters Inner(const HyperParameters& values);
std::vector<zerocts::HyperParameters> Inner(const std::vector<HyperParameters>& groups);
HyperParameters Outer(const zerocts::HyperParameters& values);
zerocts::OptimizerKind Inner(OptimizerKind kind);
engine::EngineParameter Inner(const Parameter& parameter);

/// Throws std::invalid_argument where the mesh is not one of `world_size` ranks, or a parameter is in no group.
engine::EngineSettings Inner(const EngineSettings& settings, int world_size);

/// Throws std::invalid_argument unless `group` is one of them.
void RequireGroup(const std::string& who, int group, size_t groups);
/// Throws it unless it is 0 or more.
void RequireMaxNorm(float max_norm);

}  // namespace zerocts::library
