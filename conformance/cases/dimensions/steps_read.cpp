// After which steps parameters and states are read. A read may repair what it should find, by a gather of its own for
// instance, so some runs are left alone until their last step.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool ReadsLastOfSeveral(const Case& c) { return c.observe_last_step_only && c.experiment.steps > 1; }

bool DrawStepsRead(Drawing& drawing) {
  if (drawing.varied) drawing.c.observe_last_step_only = drawing.draws.Percent(40);
  return true;
}

void ReadAll(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.observe_last_step_only = false; });
}

}  // namespace

Dimension StepsReadDimension() {
  return {.name = "steps read",
          .values = ValuesOf({{"all"}, {"last"}},
                             [](const Case& c) { return std::string(c.observe_last_step_only ? "last" : "all"); }),
          .form = {.fields = {FieldOf("observe_last_step_only", &Case::observe_last_step_only)},
                   .features = {{"last_step_read", "nothing is read before the last of several steps",
                                 ReadsLastOfSeveral}}},
          .drawn = {.on_request = true, .draw = DrawStepsRead, .simplifications = {{Simplicity::kReads, ReadAll}}}};
}

}  // namespace zerocts
