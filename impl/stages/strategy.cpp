#include "impl/stages/strategy.hpp"

#include <fmt/format.h>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {

int StageOfStrategy(const std::string& name) {
  if (name == "NoShard") return 0;
  if (name == "ShardGradOp") throw Unimplemented("strategy ShardGradOp is stage 2; this build has stages 0 and 1");
  if (name == "FullShard") throw Unimplemented("strategy FullShard is stage 3; this build has stages 0 and 1");
  if (name == "HybridShard")
    throw Unimplemented("strategy HybridShard is stage 3 on a 2-D mesh; this build has stages 0 and 1");
  throw std::invalid_argument(
      fmt::format("strategy {} is unknown: expected NoShard, ShardGradOp, FullShard or HybridShard", name));
}

void RequireStage(int stage) {
  if (stage == 0 || stage == 1) return;
  if (stage == 2 || stage == 3)
    throw Unimplemented(fmt::format("stage {} is not in this build, which has stages 0 and 1", stage));
  throw std::invalid_argument(fmt::format("stage is {}: expected 0..3", stage));
}

}  // namespace zerocts
