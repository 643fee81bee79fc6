// What is observed beside parameters and states: nothing is drawn, clauses ask for it.
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

std::string BeyondObservation(const Case& c, const Capabilities& can) {
  return FirstOf({Undeclared("traffic", c.observe_traffic, can.traffic),
                  Undeclared("timeline", c.observe_timeline, can.timeline),
                  Undeclared("memory_estimate", c.observe_memory_estimate, can.memory_estimate)});
}

bool ObserveGradient(Drawing& drawing) {
  drawing.c.observe_gradient = Contains<std::string>(drawing.can.states, "gradient");
  return true;
}

}  // namespace

Dimension ObservationDimension() {
  return {.name = "observation", .beyond = BeyondObservation, .draw = ObserveGradient};
}

}  // namespace zerocts
