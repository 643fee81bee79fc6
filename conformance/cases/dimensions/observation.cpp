// What fresh memory holds and what is observed: hardly anything is drawn, clauses ask for it.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

/// Whether the subject shows events of the case: it does of models that it computes itself.
bool ShowsEvents(const Case& c, const Capabilities& can) {
  return can.events && c.experiment.model && Contains(can.models, KindOf(*c.experiment.model));
}

std::string BeyondObservation(const Case& c, const Capabilities& can) {
  return FirstOf({Undeclared("traffic", c.observe_traffic, can.traffic),
                  Undeclared("timeline", c.observe_timeline, can.timeline),
                  Undeclared("events", c.observe_events, ShowsEvents(c, can)),
                  Undeclared("memory_estimate", c.observe_memory_estimate, can.memory_estimate)});
}

bool ObserveGradient(Drawing& drawing) {
  drawing.c.observe_gradient = Contains<std::string>(drawing.can.states, "gradient");
  return true;
}

}  // namespace

Dimension ObservationDimension() {
  using C = Capabilities;
  const auto newer = [](const std::string& name, bool Case::*member) { return NewerField(FieldOf(name, member)); };
  return {
      .name = "observation",
      .form = {.fields =
                   {FieldOf("poison_memory", &Case::poison_memory),
                    FieldOf("observe_parameters", &Case::observe_parameters),
                    FieldOf("observe_states", &Case::observe_states),
                    FieldOf("observe_gradient", &Case::observe_gradient),
                    FieldOf("observe_memory", &Case::observe_memory), newer("observe_traffic", &Case::observe_traffic),
                    newer("observe_timeline", &Case::observe_timeline), newer("observe_events", &Case::observe_events),
                    newer("observe_memory_estimate", &Case::observe_memory_estimate),
                    newer("observe_profile", &Case::observe_profile),
                    newer("observe_resources", &Case::observe_resources), newer("report_steps", &Case::report_steps)},
               .features = {{"traffic", "what ranks send is counted", [](const Case& c) { return c.observe_traffic; }},
                            {"timeline", "what ran when is recorded", [](const Case& c) { return c.observe_timeline; }},
                            {"events", "in which order things were asked for is recorded",
                             [](const Case& c) { return c.observe_events; }},
                            {"memory_estimate", "bytes are estimated before they are held",
                             [](const Case& c) { return c.observe_memory_estimate; }},
                            {"resources", "what each call costs and leaves is counted",
                             [](const Case& c) { return c.observe_resources; }}}},
      .declared = {.requirements = {NeedsFlag({"traffic"}, "traffic", &C::traffic),
                                    NeedsFlag({"timeline"}, "timeline", &C::timeline),
                                    NeedsFlag({"events"}, "events", &C::events),
                                    {{"events"},
                                     "models that it computes itself",
                                     [](const RunTerms& terms) { return ComputesModels(terms.can); }},
                                    NeedsFlag({"memory_estimate"}, "memory_estimate", &C::memory_estimate)},
                   .beyond = BeyondObservation},
      .drawn = {.draw = ObserveGradient}};
}

}  // namespace zerocts
