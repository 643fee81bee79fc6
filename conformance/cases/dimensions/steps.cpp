// Optimizer steps.
#include <algorithm>

#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool HasSeveralSteps(const Case& c) { return c.experiment.steps >= 2; }

int DrawnSteps(Drawing& drawing) {
  const CaseSpace& space = drawing.space;
  if (space.smoke_steps > 0 && drawing.conditions.largest_size == 0) return space.smoke_steps;
  if (space.shapes == ShapeStyle::kLarge) return 1;
  return drawing.draws.Between(space.min_steps, space.max_steps);
}

bool DrawSteps(Drawing& drawing) {
  drawing.e.steps = DrawnSteps(drawing);
  return true;
}

void FewerSteps(Simplifying& simpler) {
  for (const int64_t steps : Simplifying::Below(simpler.e.steps, 1)) {
    simpler.Try([&](Case& c, Experiment& e) {
      e.steps = steps;
      if (c.checkpoint) c.checkpoint->after_step = std::min(c.checkpoint->after_step, steps - 1);
      std::erase_if(e.changes, [&](const HyperParameterChange& change) { return change.step >= steps; });
    });
  }
}

}  // namespace

Dimension StepsDimension() {
  return {.name = "steps",
          .values = ValuesOf({{"one"}, {"two"}, {"many"}},
                             [](const Case& c) { return NameOfCount(static_cast<size_t>(c.experiment.steps)); }),
          .form = {.features = {{"multi_step", "two or more steps", HasSeveralSteps}}},
          .drawn = {.draw = DrawSteps, .simplifications = {{Simplicity::kSteps, FewerSteps}}}};
}

}  // namespace zerocts
