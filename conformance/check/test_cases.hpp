// For tests: a case by hand, and random ones.
#pragma once
#include "conformance/cases/generate.hpp"
#include "conformance/cases/test_spaces.hpp"

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

/// Any case of 1 to 5 ranks, on given gradients or a model.
inline rc::Gen<Case> AnyCase() {
  return rc::gen::mapcat(rc::gen::tuple(rc::gen::inRange(1, 6), rc::gen::element(Precision::kFp32, Precision::kBf16),
                                        rc::gen::inRange(0, 3)),
                         [](const auto& drawn) {
                           const auto [world_size, precision, kind] = drawn;
                           const CaseSpace space =
                               kind == 0 ? ModelSpace()
                                         : EverythingOf(kind == 1 ? ShapeStyle::kMixed : ShapeStyle::kDegenerate);
                           return CasesOf(space, {world_size, precision, {}, {}}, EverythingCapable());
                         });
}

}  // namespace zerocts
