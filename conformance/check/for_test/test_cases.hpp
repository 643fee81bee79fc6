// For tests: a case by hand, and random ones.
#pragma once
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {

/// 3 ranks, 2 micro-batches, 2 steps of AdamW in bf16 with clipping; parameters of 4, 0, 1 and 6 elements: shards of 4,
/// 4 and 3.
inline Case SmallCase() {
  Case c;
  c.experiment.parameters = {{"w1", {2, 2}, 0}, {"none", {0}, 0}, {"scale", {}, 1}, {"w2", {6}, 1}};
  c.experiment.groups.resize(2);
  c.experiment.optimizer = OptimizerKind::kAdamW;
  c.experiment.precision = Precision::kBf16;
  c.experiment.world_size = 3;
  c.experiment.micro_batches = 2;
  c.experiment.steps = 2;
  c.experiment.max_norm = 1.0f;
  c.read_twice = c.read_before_step = c.observe_gradient = c.observe_memory = true;
  return c;
}

/// Any case of 1 to 6 ranks, on given gradients or a model, half of them with all that SemanticsOf adds.
inline rc::Gen<Case> AnyCase() {
  return rc::gen::mapcat(
      rc::gen::tuple(rc::gen::inRange(1, 7), rc::gen::element(Precision::kFp32, Precision::kBf16),
                     rc::gen::inRange(0, 3), rc::gen::arbitrary<bool>()),
      [](const auto& drawn) {
        const auto [world_size, precision, kind, semantics] = drawn;
        const CaseSpace space =
            kind == 0 ? ModelSpace() : EverythingOf(kind == 1 ? ShapeStyle::kMixed : ShapeStyle::kDegenerate);
        return CasesOf(semantics ? SemanticsOf(space) : space, {world_size, precision, {}}, EverythingCapable());
      });
}

/// 6 ranks in 2 replicas of 3, 2 micro-batches, 3 steps of SGD under a dynamic loss scale, of which the second
/// overflows; a2 is tied to a, mask is a buffer, b is frozen in the first step and has no gradient in the third, c
/// lacks some. Shards of a and b and c (4 + 5 + 2 elements): 4, 4 and 3.
inline Case SemanticsCase() {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {4}, 0}, {"mask", {3}, 0}, {"b", {5}, 0}, {"a2", {4}, 0}, {"c", {2}, 0}};
  e.groups[0].momentum = 0.5f;
  e.world_size = 6;
  e.micro_batches = 2;
  e.steps = 3;
  e.max_norm = 1.0f;
  e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 8.0f};
  e.planted = {{1, 3, 4, 1, NonFinite::kInfinity}};
  e.roles = {.frozen = {{2, 0, 1}},
             .without_gradient = {{2, 2, 3}},
             .missing = {{4, 0, 0}, {4, 0, 7}},
             .tied = {{3, 0}},
             .buffers = {1},
             .precisions = {{4, Precision::kBf16}}};
  c.stage = 2;
  c.replicas = 2;
  c.gradient_sync = GradientSync::kEveryMicroBatch;
  c.observe_gradient = c.observe_memory = true;
  return c;
}

/// Real training of some MLP, by a seed.
inline Case BoundedCase(int world_size, uint64_t seed) {
  Draws draws(seed);
  return DrawFittingCase(BoundedSpace(), {.world_size = world_size}, EverythingCapable(), 50, draws).value();
}

}  // namespace zerocts
