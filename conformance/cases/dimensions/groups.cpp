// Parameter groups, each with hyper-parameters of its own.
#include <set>

#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/group_values.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/model_shapes.hpp"

namespace zerocts {
namespace {

std::set<int> GroupsWithParameters(const Experiment& e) {
  std::set<int> used;
  for (const ParameterSpec& parameter : e.parameters) used.insert(parameter.group);
  return used;
}

bool HasSeveralGroups(const Case& c) { return GroupsWithParameters(c.experiment).size() >= 2; }

bool HasSeveralParameters(const RunTerms& terms) {
  const auto given = GivenParameters(terms.constraints, 1);
  return !given || given->size() > 1;
}

std::string BeyondGroups(const Case& c, const Capabilities& can) {
  return Undeclared("groups", c.experiment.groups.size() > 1, can.groups);
}

bool DrawGroups(Drawing& drawing) {
  const CaseSpace& space = drawing.space;
  Draws& draws = drawing.draws;
  if (!drawing.given() || !drawing.can.groups || space.max_groups < 2 || !draws.Percent(70)) return true;
  const int64_t count = draws.Between(2, space.max_groups);
  drawing.e.groups.resize(static_cast<size_t>(count));
  const int64_t empty =
      draws.Percent(space.shapes == ShapeStyle::kDegenerate ? 50 : 35) ? draws.Between(0, count - 1) : -1;
  int64_t next = draws.Between(0, count - 1);
  for (ParameterSpec& parameter : drawing.e.parameters) {
    if (next == empty) next = (next + 1) % count;
    parameter.group = static_cast<int>(next);
    next = draws.Percent(60) ? (next + 1) % count : draws.Between(0, count - 1);
  }
  return true;
}

/// Joins a group into its neighbour.
void Join(Experiment& e, int gone) {
  const auto renumbered = [&](int group) { return group > gone || (group == gone && gone > 0) ? group - 1 : group; };
  e.groups.erase(e.groups.begin() + gone);
  for (ParameterSpec& parameter : e.parameters) parameter.group = renumbered(parameter.group);
  std::erase_if(e.changes, [&](const HyperParameterChange& change) { return change.group == gone; });
  for (HyperParameterChange& change : e.changes) change.group = renumbered(change.group);
}

void FewerGroups(Simplifying& simpler) {
  if (simpler.e.model || simpler.e.groups.size() < 2) return;
  for (int gone = static_cast<int>(simpler.e.groups.size()) - 1; gone >= 0; --gone) {
    simpler.Try([&](Case&, Experiment& e) { Join(e, gone); });
  }
}

std::string NameOfGroups(const Case& c) {
  return HasEmptyGroup(c.experiment) ? "an empty one" : NameOfCount(c.experiment.groups.size());
}

}  // namespace

bool HasEmptyGroup(const Experiment& e) { return GroupsWithParameters(e).size() < e.groups.size(); }

Dimension GroupsDimension() {
  return {.name = "groups",
          .values = ValuesIf(&Capabilities::groups, {"one", "two", "many", "an empty one"}, NameOfGroups),
          .form = {.features = {{"multi_group", "two or more groups have parameters", HasSeveralGroups},
                                {"empty_group", "a group has no parameter",
                                 [](const Case& c) { return HasEmptyGroup(c.experiment); }}}},
          .declared =
              {.requirements = {NeedsFlag({"multi_group", "empty_group"}, "groups", &Capabilities::groups),
                                {{"multi_group"}, "a plan file or a model of two parameters", HasSeveralParameters}},
               .capabilities = {DeclaresFlag("groups", &Capabilities::groups)},
               .beyond = BeyondGroups,
               .probes = {ProbeFor([](Case& c) { c.experiment.groups.push_back(c.experiment.groups.front()); })}},
          .drawn = {.draw = DrawGroups, .simplifications = {{Simplicity::kGroups, FewerGroups}}}};
}

}  // namespace zerocts
