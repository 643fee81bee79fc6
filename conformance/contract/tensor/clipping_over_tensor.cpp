#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::clipping_over_tensor {

const Clause kClause{
    .id = "C-ZERO-123",
    .name = "clipping on every tensor rank",
    .sentence =
        "Clipping multiplies the gradients on every tensor rank by the same coefficient, of parts and of what all "
        "ranks have alike.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Thresholds below the norm, so that a gradient that is left as it was moves too far. The ranks must agree on "
        "what they all have; then the parts are compared with whole layers that were clipped, within a bound where the "
        "subject's models are inexact.",
    .bugs = {{"bf16 gradients were clipped on the first tensor rank alone, and nobody saw it for ten days.",
              "https://github.com/deepspeedai/DeepSpeed/pull/1801"},
             {"Every rank had a coefficient of its own, from the norm of its shard.",
              "https://github.com/sgl-project/SpecForge/pull/663"}},
    .essential = {{"tensor"}, {"clip_active"}},
    .features = {"tensor", "tensor_shards", "clip_active"},
};

CaseSpace Space() {
  CaseSpace space = SplitModelsOrBounded();
  space.vary.insert("clipping");
  space.keep = IsClipped;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckAgreement(c, ranks)) return finding;
  return AgainstWholeLayers(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::clipping_over_tensor
