// The shard plan, by its name or by its file.
#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

std::string BeyondPlans(const Case& c, const Capabilities& can) {
  if (IsPlanFile(c.plan)) return Undeclared("plan_files", true, can.plan_files);
  return c.plan.empty() || Contains(can.plans, c.plan) ? "" : Beyond("the plan " + c.plan, can.plans);
}

/// A file is not among the names that are declared.
void KeepPlans(Capabilities& can, const std::vector<std::string>& kept) {
  can.plans = Common(can.plans, kept);
  if (can.plan_files) std::ranges::copy_if(kept, std::back_inserter(can.plans), IsPlanFile);
}

/// "own": a case may leave it to the subject, who need not name any.
NamedValues NamedPlans() {
  NamedValues values =
      ListedValues(&Capabilities::plans, [](const Case& c) { return c.plan.empty() ? "own" : c.plan; });
  values.keep = KeepPlans;
  return WithAlways("own", std::move(values));
}

bool DrawPlan(Drawing& drawing) {
  if (!drawing.allowed.plans.empty()) drawing.c.plan = drawing.draws.Pick(drawing.allowed.plans);
  return true;
}

}  // namespace

Dimension PlanDimension() {
  return {.name = "plan",
          .values = ChosenBy("plan", "Shard plans by name (zerocts subjects SUBJECT lists them), or file:PATH", {},
                             NamedPlans()),
          .form = {.fields = {FieldOf("plan", &Case::plan)}},
          .declared = {.capabilities = {DeclaresFlag("plan_files", &Capabilities::plan_files)},
                       .beyond = BeyondPlans,
                       .probes = {ProbeFor([](Case& c) { c.plan = "a plan of nobody"; })}},
          .drawn = {.draw = DrawPlan}};
}

}  // namespace zerocts
