#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::norm_types {

const Clause kClause{
    .id = "C-ZERO-033",
    .name = "norm types and empty ranks",
    .sentence =
        "The 1-norm, the 2-norm and the largest magnitude are each their own, and a rank that owns "
        "nothing contributes nothing.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "All declared norms and clip formulas over degenerate shapes: ranks without elements, parameters "
        "without elements, gradients of zero.",
    .bugs = {{"The type of the norm was ignored, or its root was not taken.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8313"},
             {"A rank without parameters made the reduction of the norm hang.",
              "https://github.com/deepspeedai/DeepSpeed/issues/1522"}},
    .essential = {{"clip_active"}, {"clip_norm_one", "clip_norm_infinity", "empty_rank"}},
    .features = {"clip_norm_one", "clip_norm_infinity", "empty_rank", "clip_active"},
    .needs = {"p = 3"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kUniform, GradientSource::kZero};
  space.shapes = ShapeStyle::kDegenerate;
  space.initial = InitialValues::kUniform;
  space.vary = {"clipping", "clip norm", "clip formula", "loss"};
  space.keep = IsClipped;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::norm_types
