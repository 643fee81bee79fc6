// FSDP's names for a ZeRO stage and a mesh.
#pragma once
#include <string_view>

namespace zerocts {

struct Strategy {
  std::string_view name;
  int stage = 0;
  bool hybrid = false;  // on a mesh of two or more replicas
};

inline constexpr Strategy kStrategies[] = {
    {"NoShard", 0, false}, {"ShardGradOp", 2, false}, {"FullShard", 3, false}, {"HybridShard", 3, true}};

}  // namespace zerocts
