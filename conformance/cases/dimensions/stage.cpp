// What is sharded.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

Feature Stage(int stage, const std::string& meaning) {
  return {fmt::format("stage{}", stage), meaning, [stage](const Case& c) { return c.stage == stage; }};
}

Requirement NeedsStage(const std::string& feature, int stage) {
  return NeedsEntry({feature}, fmt::format("stage {}", stage), &Capabilities::stages, stage);
}

/// In stage 0 an element has no owner, from which a ring's order starts.
bool HasOrderWithoutOwner(const RunTerms& terms) {
  return std::ranges::any_of(FindDimension("reduction order").values.known, [&](const std::string& order) {
    return order != "ring" && Allows(terms.constraints, "reduction order", order);
  });
}

std::string BeyondStages(const Case& c, const Capabilities& can) {
  return Contains(can.stages, c.stage) ? "" : Beyond(fmt::format("stage {}", c.stage), can.stages);
}

void TellStage(const Case& c, zerocts_open_args& args) { args.stage = static_cast<uint32_t>(c.stage); }

bool DrawStage(Drawing& drawing) {
  drawing.c.stage = drawing.draws.Pick(drawing.allowed.stages);
  return true;
}

}  // namespace

Dimension StageDimension() {
  return {.name = "stage",
          .values = ChosenBy("stage", "ZeRO stages", {"0", "1", "2", "3"},
                             ListedValues(&Capabilities::stages, [](const Case& c) { return c.stage; })),
          .form = {.fields = {FieldOf("stage", &Case::stage, Bounds{0, 3})},
                   .tell = TellStage,
                   .features = {Stage(0, "nothing is sharded"), Stage(1, "optimizer states are sharded"),
                                Stage(2, "optimizer states and gradients are sharded"),
                                Stage(3, "optimizer states, gradients and parameters are sharded")}},
          .declared = {.requirements = {NeedsStage("stage0", 0),
                                        NeedsStage("stage1", 1),
                                        NeedsStage("stage2", 2),
                                        NeedsStage("stage3", 3),
                                        NeedsValue({"stage0"}, "mesh", "1"),
                                        NeedsValue({"stage0"}, "offload", "none"),
                                        {{"stage0"}, "an order that needs no owner", HasOrderWithoutOwner}},
                       .beyond = BeyondStages,
                       .probes = ProbeForEach<int>({0, 1, 2, 3}, [](Case& c, int stage) { c.stage = stage; })},
          .drawn = {.draw = DrawStage}};
}

}  // namespace zerocts
