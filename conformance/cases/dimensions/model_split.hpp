// Makes the dimensions of what a model may split over tensor ranks beside its layers: a flag of its spec, which the
// subject must declare.
#pragma once
#include <string>

#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/dimensions/text_training.hpp"

namespace zerocts {

struct ModelSplit {
  std::string name;  // of the dimension, and of the capability
  std::string feature, meaning;
  bool Capabilities::*declared;
  bool* (*find)(ModelSpec&);  // the model's flag; nullptr where its kind has none
  ModelSpec smallest;         // that has one
};

inline Dimension SplitDimension(const ModelSplit& split) {
  const auto is_split = [find = split.find](const Case& c) {
    if (!c.experiment.model) return false;
    ModelSpec model = *c.experiment.model;
    const bool* flag = find(model);
    return flag && *flag;
  };
  const auto set = [find = split.find](Experiment& e, bool value) {
    if (bool* flag = e.model ? find(*e.model) : nullptr) *flag = value;
  };
  const auto can_split = [feature = split.feature](const RunTerms& terms) {
    return MissingFor(feature, terms).empty();
  };
  const auto beyond = [=](const Case& c, const Capabilities& can) {
    const bool computes = c.experiment.model && Contains(can.models, KindOf(*c.experiment.model));
    return Undeclared(split.name, computes && is_split(c), can.*split.declared);
  };
  const auto probe = [=](Case& c, const Capabilities& can) {
    if (!Contains(can.models, KindOf(split.smallest))) return;
    TrainOnText(c.experiment, split.smallest, 2);
    set(c.experiment, true);
  };
  const auto draw = [=](Drawing& drawing) {
    const bool may = drawing.varied && drawing.c.tensor > 1 && drawing.can.*split.declared;
    if (may && drawing.draws.Percent(60)) set(drawing.e, true);
    return true;
  };
  const auto whole = [=](Simplifying& simpler) { simpler.Try([&](Case&, Experiment& e) { set(e, false); }); };
  return {
      .name = split.name,
      .values = ValuesIf(can_split, {"whole", "split"}, [=](const Case& c) { return is_split(c) ? "split" : "whole"; }),
      .form = {.features = {{split.feature, split.meaning, is_split}}},
      .declared = {.requirements = {NeedsFlag({split.feature}, split.name, split.declared)},
                   .capabilities = {DeclaresFlag(split.name, split.declared)},
                   .beyond = beyond,
                   .probes = {probe}},
      .drawn = {.on_request = true, .draw = draw, .simplifications = {{Simplicity::kModel, whole}}}};
}

}  // namespace zerocts
