// Names of sharding strategies (FSDP's) and numbers of ZeRO stages.
#pragma once
#include <string>

namespace zerocts {

/// "NoShard" is stage 0. Throws Unimplemented for the other names of FSDP, saying which stage they are, and
/// std::invalid_argument for the rest.
int StageOfStrategy(const std::string& name);

/// Throws Unimplemented unless this build has the stage.
void RequireStage(int stage);

}  // namespace zerocts
