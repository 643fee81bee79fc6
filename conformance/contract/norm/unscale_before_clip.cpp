#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::unscale_before_clip {

const Clause kClause{
    .id = "C-ZERO-034",
    .name = "unscale before clip",
    .sentence =
        "Norm and clipping see gradients divided by the scale that this backward used, also in a step "
        "in which the scale changes.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Static and dynamic scales, thresholds around the unscaled norm, several steps with overflows "
        "between them.",
    .bugs = {{"Gradients were divided by the scale after its update.",
              "https://github.com/deepspeedai/DeepSpeed/pull/2695"},
             {"Clipping took gradients for scaled that were not.", "https://github.com/NVIDIA/apex/pull/1512"}},
    .essential = {{"loss_scaling"}, {"clip_active"}},
    .features = {"loss_scaling", "dynamic_scale", "clip_active"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.vary = {"loss scaling", "clipping", "loss"};
  space.min_steps = 2;
  space.max_steps = 6;
  space.keep = [](const Case& c) { return IsClipped(c) && ScalesLoss(c); };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::unscale_before_clip
