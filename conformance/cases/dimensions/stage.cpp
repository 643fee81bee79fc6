// What is sharded.
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

Feature Stage(int stage, const std::string& meaning) {
  return {fmt::format("stage{}", stage), meaning, [stage](const Case& c) { return c.stage == stage; }};
}

std::string BeyondStages(const Case& c, const Capabilities& can) {
  return Contains(can.stages, c.stage) ? "" : Beyond(fmt::format("stage {}", c.stage), can.stages);
}

bool DrawStage(Drawing& drawing) {
  drawing.c.stage = drawing.draws.Pick(drawing.allowed.stages);
  return true;
}

}  // namespace

Dimension StageDimension() {
  return {.name = "stage",
          .features = {Stage(0, "nothing is sharded"), Stage(1, "optimizer states are sharded"),
                       Stage(2, "optimizer states and gradients are sharded"),
                       Stage(3, "optimizer states, gradients and parameters are sharded")},
          .beyond = BeyondStages,
          .draw = DrawStage};
}

}  // namespace zerocts
