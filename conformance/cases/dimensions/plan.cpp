// The shard plan, by its name.
#include "conformance/cases/dimensions/asks.hpp"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

std::string BeyondPlans(const Case& c, const Capabilities& can) {
  return c.plan.empty() || Contains(can.plans, c.plan) ? "" : Beyond("the plan " + c.plan, can.plans);
}

/// "own": a case may leave it to the subject, who need not name any.
NamedValues NamedPlans() {
  return WithAlways("own",
                    ListedValues(&Capabilities::plans, [](const Case& c) { return c.plan.empty() ? "own" : c.plan; }));
}

bool DrawPlan(Drawing& drawing) {
  if (!drawing.allowed.plans.empty()) drawing.c.plan = drawing.draws.Pick(drawing.allowed.plans);
  return true;
}

}  // namespace

Dimension PlanDimension() {
  return {.name = "plan",
          .values = ChosenBy("plan", "Sharding plans", {}, NamedPlans()),
          .fields = {FieldOf("plan", &Case::plan)},
          .beyond = BeyondPlans,
          .asks = {AskFor([](Case& c) { c.plan = "a plan of nobody"; })},
          .draw = DrawPlan};
}

}  // namespace zerocts
