// Names of sharding strategies (FSDP's) and numbers of ZeRO stages.
#pragma once
#include <string>
#include <string_view>

namespace zerocts::engine {

struct Strategy {
  std::string_view name;
  int stage = 0;
  bool hybrid = false;  // on a mesh of two or more replicas
};

inline constexpr Strategy kStrategies[] = {
    {"NoShard", 0, false}, {"ShardGradOp", 2, false}, {"FullShard", 3, false}, {"HybridShard", 3, true}};

/// Throws std::invalid_argument unless `name` is in the table, and `stage` and `replicas` are what it means.
void RequireStrategy(const std::string& name, int stage, int replicas);

}  // namespace zerocts::engine
