// The shard plan, by its name.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

std::string BeyondPlans(const Case& c, const Capabilities& can) {
  return c.plan.empty() || Contains(can.plans, c.plan) ? "" : Beyond("the plan " + c.plan, can.plans);
}

/// Who names none has one of his own.
NamedValues NamedPlans() {
  NamedValues plans = ListedValues(&Capabilities::plans, [](const Case& c) { return c.plan.empty() ? "own" : c.plan; });
  plans.offered = [declared = plans.offered](const RunTerms& terms) {
    return terms.can.plans.empty() ? std::vector<std::string>{"own"} : declared(terms);
  };
  return plans;
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
          .draw = DrawPlan};
}

}  // namespace zerocts
