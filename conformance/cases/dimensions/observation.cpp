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
  using C = Capabilities;
  return {.name = "observation",
          .features = {{"traffic", "what ranks send is counted", [](const Case& c) { return c.observe_traffic; }},
                       {"timeline", "what ran when is recorded", [](const Case& c) { return c.observe_timeline; }},
                       {"memory_estimate", "bytes are estimated before they are held",
                        [](const Case& c) { return c.observe_memory_estimate; }}},
          .demands = {NeedsFlag({"traffic"}, "traffic", &C::traffic), NeedsFlag({"timeline"}, "timeline", &C::timeline),
                      NeedsFlag({"memory_estimate"}, "memory_estimate", &C::memory_estimate)},
          .beyond = BeyondObservation,
          .draw = ObserveGradient};
}

}  // namespace zerocts
