// For tests of what a training step means: a small experiment, and one parameter stepped by hand.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/train/trainer.hpp"

namespace zerocts {

/// Two parameters, random gradients, AdamW with decay, one rank.
inline Experiment MakeExperiment(int64_t steps = 4) {
  Experiment e;
  e.parameters = {{"a", {3}, 0}, {"b", {3}, 0}};
  e.initial = InitialValues::kUniform;
  e.gradients = GradientSource::kUniform;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups[0] = {.lr = 0.05f, .weight_decay = 0.1f, .momentum = 0.5f};
  e.steps = steps;
  return e;
}

inline std::vector<StepTrace> TrainByRank(const Experiment& e) {
  return Train(e, UniformOrder(e, RankFold(e.world_size, e.micro_batches)), HostOps());
}

inline std::vector<float> GradientOf(const Experiment& e, int64_t step, int64_t g, int p) {
  std::vector<float> gradient(e.parameters[p].numel());
  FillGradient(e, step, g, p, gradient.data());
  return gradient;
}

/// One parameter and what its optimizer keeps, stepped by hand.
struct ByHand {
  ByHand(const Experiment& experiment, int p)
      : e(experiment), master(InitialValuesOf(e, p)), moment1(master.size()), moment2(master.size()) {}

  void Step(const std::vector<float>& gradient, float clip = 1.0f) {
    products.Advance(e.groups[0]);
    ApplyStep(HostOps(), {e.optimizer, e.formula}, e.groups[0], products, clip,
              {master.data(), moment1.data(), moment2.data()}, gradient.data(), static_cast<int64_t>(master.size()));
  }

  const Experiment& e;
  std::vector<float> master, moment1, moment2;
  BetaProducts products;
};

inline void ExpectState(const StepTrace& trace, int p, const ByHand& expected, const std::string& where) {
  EXPECT_EQ(trace.master[p], expected.master) << where;
  EXPECT_EQ(trace.moment1[p], expected.moment1) << where;
  EXPECT_EQ(trace.moment2[p].empty() ? expected.moment2 : trace.moment2[p], expected.moment2) << where;
}

}  // namespace zerocts
