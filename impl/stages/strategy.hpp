// Names of sharding strategies (FSDP's) and numbers of ZeRO stages.
#pragma once
#include <string>

namespace zerocts::engine {

struct Strategy {
  int stage = 0;
  bool hybrid = false;  // needs a mesh with several replicas
};

/// "NoShard" is stage 0, "ShardGradOp" 2, "FullShard" 3, "HybridShard" 3 on a mesh of replicas. Throws
/// std::invalid_argument for other names.
Strategy StrategyOf(const std::string& name);

/// Throws std::invalid_argument unless `stage` and `replicas` are what the strategy means.
void RequireStrategy(const std::string& name, int stage, int replicas);

}  // namespace zerocts::engine
