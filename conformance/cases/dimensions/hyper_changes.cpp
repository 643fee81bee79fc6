// Hyper-parameters that change between two steps.
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/hyper_parameter_draws.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

/// Does `differs` hold of a group's hyper-parameters before and after any change?
template <typename Differs>
bool AnyChange(const Experiment& e, Differs differs) {
  for (int64_t step = 1; step < e.steps; ++step) {
    const std::vector<HyperParameters> before = GroupsAtStep(e, step - 1), now = GroupsAtStep(e, step);
    for (size_t group = 0; group < now.size(); ++group) {
      if (differs(before[group], now[group])) return true;
    }
  }
  return false;
}

bool ChangesRate(const Case& c) {
  return AnyChange(c.experiment,
                   [](const HyperParameters& before, const HyperParameters& now) { return now.lr != before.lr; });
}

bool ChangesOther(const Case& c) {
  return AnyChange(c.experiment, [](const HyperParameters& before, HyperParameters now) {
    now.lr = before.lr;
    return now != before;
  });
}

std::string BeyondSetGroup(const Case& c, const Capabilities& can) {
  return Undeclared("set_group", !c.experiment.changes.empty(), can.set_group);
}

/// Half of the changes are of the learning rate alone, as a schedule makes them.
HyperParameters DrawChanged(const HyperParameters& before, Drawing& drawing) {
  HyperParameters after = before;
  if (!drawing.space.plain_update && drawing.draws.Percent(60)) after = DrawHyperParameters(drawing);
  if (after == before || drawing.draws.Percent(50))
    after.lr = before.lr * drawing.draws.Pick<float>({0.25f, 0.5f, 2.0f});
  return after;
}

bool DrawChanges(Drawing& drawing) {
  if (!drawing.varied || !drawing.can.set_group) return true;
  std::vector<HyperParameters> now = drawing.e.groups;
  for (int64_t step = 1; step < drawing.e.steps; ++step) {
    for (size_t group = 0; group < now.size(); ++group) {
      if (!drawing.draws.Percent(70)) continue;
      now[group] = DrawChanged(now[group], drawing);
      drawing.e.changes.push_back({step, static_cast<int>(group), now[group]});
    }
  }
  return true;
}

void FewerChanges(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.changes.clear(); });
  for (size_t i = 0; i < simpler.e.changes.size(); ++i) {
    simpler.Try([&](Case&, Experiment& e) { e.changes.erase(e.changes.begin() + static_cast<int64_t>(i)); });
  }
}

std::string KindOfChanges(const Case& c) {
  return ChangesOther(c) ? "of others" : ChangesRate(c) ? "of rates" : "none";
}

}  // namespace

Dimension HyperChangesDimension() {
  return {
      .name = "hyper-parameter changes",
      .values = ValuesIf(&Capabilities::set_group, {"none", "of rates", "of others"}, KindOfChanges),
      .form = {.features = {{"lr_change", "the learning rate changes between two steps", ChangesRate},
                            {"hyper_change", "a hyper-parameter other than the learning rate changes between two steps",
                             ChangesOther}}},
      .declared = {.requirements = {NeedsFlag({"lr_change", "hyper_change"}, "set_group", &Capabilities::set_group)},
                   .capabilities = {DeclaresFlag("set_group", &Capabilities::set_group)},
                   .beyond = BeyondSetGroup,
                   .probes = {ProbeFor([](Case& c) {
                     HaveTwoSteps(c);
                     HyperParameters half = c.experiment.groups.front();
                     half.lr *= 0.5f;
                     c.experiment.changes = {{1, 0, half}};
                   })}},
      .drawn = {.on_request = true, .draw = DrawChanges, .simplifications = {{Simplicity::kChanges, FewerChanges}}}};
}

}  // namespace zerocts
