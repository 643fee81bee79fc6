// What the name of a sharding strategy asks of an engine.
#pragma once
#include <string>

namespace zerocts::engine {

/// Throws std::invalid_argument unless `name` is in kStrategies, and `stage` and `replicas` are what it means.
void RequireStrategy(const std::string& name, int stage, int replicas);

}  // namespace zerocts::engine
