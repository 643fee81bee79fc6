// The shard plan, by its name.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

std::string BeyondPlans(const Case& c, const Capabilities& can) {
  return c.plan.empty() || Contains(can.plans, c.plan) ? "" : Beyond("the plan " + c.plan, can.plans);
}

bool DrawPlan(Drawing& drawing) {
  if (!drawing.allowed.plans.empty()) drawing.c.plan = drawing.draws.Pick(drawing.allowed.plans);
  return true;
}

}  // namespace

Dimension PlanDimension() {
  return {.name = "plan",
          .values = ChosenBy("plan", "Sharding plans", {},
                             ListedValues(&Capabilities::plans, [](const Case& c) { return c.plan; })),
          .fields = {FieldOf("plan", &Case::plan)},
          .beyond = BeyondPlans,
          .draw = DrawPlan};
}

}  // namespace zerocts
