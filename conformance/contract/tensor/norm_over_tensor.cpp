#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::norm_over_tensor {

const Clause kClause{
    .id = "C-ZERO-122",
    .name = "norm over tensor ranks",
    .sentence =
        "The gradient norm counts every element of the whole model once: each tensor rank's part of what is split, and "
        "once what they all have. All ranks tell the same norm.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "The 2-norm, the 1-norm and the largest magnitude of a split MLP and GPT under clipping, alone and under ZeRO. "
        "Norm and coefficient are compared with those of whole layers before anything that is updated by them, within "
        "a bound where the subject's models are inexact.",
    .bugs = {{"Replicated parameters were counted once per tensor rank.",
              "https://github.com/ROCm/TransformerEngine/pull/715"},
             {"Only the first tensor rank's gradients entered the norm.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5411"},
             {"A second sum over tensor ranks counted what they all have T times.",
              "https://github.com/NVIDIA-NeMo/RL/pull/3788"},
             {"Clipping failed where some gradients were split and others were not.",
              "https://github.com/meta-pytorch/torchtune/issues/2420"}},
    .essential = {{"tensor"}, {"clip_active", "clip_inactive"}},
    .features = {"tensor", "tensor_shards", "clip_active"},
    .needs = {"experts"},
};

CaseSpace Space() {
  CaseSpace space = SplitModelsOrBounded();
  space.vary.insert({"clipping", "clip norm"});
  space.keep = IsClipped;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const CompareOptions norm_alone{.parameters = false, .states = false, .gradient = false, .losses = false};
  return AgainstWholeLayers(trial, c, trial.Observe(c), norm_alone);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::norm_over_tensor
