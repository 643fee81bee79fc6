// An experiment that has everything, and what is said when a field of it is spoilt.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Nothing has its default value.
inline Experiment EverythingSet() {
  Experiment e;
  e.parameters = {{"a", {2, 3}, 0}, {"b", {2, 3}, 0}, {"c", {4}, 0}, {"d", {}, 0}};
  e.optimizer = OptimizerKind::kAdamW;
  e.groups = {{.momentum = 0.5f, .dampening = 0.0f, .nesterov = true}};
  e.changes = {{1, 0, {.momentum = 0.5f, .dampening = 0.25f}}};
  e.formula = {.moments = MomentOrder::kLerp,
               .decay = DecayPosition::kAfter,
               .bias_correction = BiasCorrection::kFolded,
               .epsilon = EpsilonPosition::kInside,
               .update = UpdateOrder::kProductFirst,
               .products = ProductRounding::kRounded};
  e.clip_norm = NormKind::kInfinity;
  e.clip_formula = ClipFormula::kTorch;
  e.accumulation = e.reduction = Precision::kBf16;
  e.loss_scaling = {LossScaleKind::kDynamic, 8.0f, 4.0f, 0.25f, 3, 2, true, 0.5f};
  e.roles = {.frozen = {{0, 1, 3}},
             .without_gradient = {{1, 0, 1}},
             .tied = {{1, 0}},
             .buffers = {2},
             .precisions = {{3, Precision::kBf16}}};
  e.steps = 4;
  e.planted = {{1, 0, 0, 5, NonFinite::kMinusInfinity}};
  return e;
}

using Spoil = std::function<void(Experiment&)>;

/// Set(&Experiment::changes, {..}) spoils a field, and Set(&ParameterRoles::tied, {..}) one of the roles.
template <typename Field>
Spoil Set(Field Experiment::*field, std::type_identity_t<Field> value) {
  return [=](Experiment& e) { e.*field = value; };
}
template <typename Field>
Spoil Set(Field ParameterRoles::*field, std::type_identity_t<Field> value) {
  return [=](Experiment& e) { e.roles.*field = value; };
}

inline void ExpectSentences(const std::vector<std::pair<Spoil, std::string>>& bad) {
  for (const auto& [spoil, sentence] : bad) {
    Experiment e = EverythingSet();
    spoil(e);
    EXPECT_EQ(Problem(e), sentence);
  }
}

}  // namespace zerocts
