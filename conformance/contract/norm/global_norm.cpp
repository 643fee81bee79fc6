#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::global_norm {

const Clause kClause{
    .id = "C-ZERO-030",
    .name = "global norm",
    .sentence =
        "The gradient norm is the norm of the whole mean gradient, bit-equal on every rank, whatever "
        "W, stage and layout are.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "3-4-5 gradients over many scales, with all of the mass in one shard or in two, and random "
        "gradients added in the declared order. Reported norm, coefficient and update are compared, so a "
        "number that is right but unused is found as well.",
    .bugs = {{"Clipping used the norm of the local shard.", "https://github.com/pytorch/xla/pull/4796"},
             {"Partial squared norms were averaged over the ranks, with a wrong count on top.",
              "https://github.com/karpathy/llm.c/commit/7018280"},
             {"The norm was taken over the full buffer although only the own shard had been reduced.",
              "https://github.com/karpathy/llm.c/pull/524"},
             {"Each of several chained optimizers clipped by its own norm.",
              "https://github.com/NVIDIA/Megatron-LM/commit/abf10f8590"},
             {"The norm overflowed because it was computed in the dtype of the gradient.",
              "https://github.com/facebookresearch/fairscale/pull/263"}},
    .essential = {{"clip_active"}, {"several_ranks"}},
    .features = {"uneven", "multi_group", "clip_active", "clip_random", "past_caches"},
    .needs = {"fp16: elements whose squares overflow", "replicated parameters: counted once"},
    .revision = 6,
};

/// 3-4-5 gradients over 80 binary orders of magnitude: squares overflow and vanish in half precision, never in fp32.
void SpreadScales(Case& c) {
  constexpr int kExponents[] = {0, 20, -20, 40, -40};
  if (c.experiment.gradients != GradientSource::kPythagorean) return;
  ScaleGradients(c.experiment, kExponents[c.experiment.seed % std::size(kExponents)]);
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kPythagorean, GradientSource::kUniform, GradientSource::kIndexCoded};
  space.initial = InitialValues::kUniform;
  space.vary = {"block sizes", "experts", "mesh", "offload", "clipping", "loss"};
  space.finish = SpreadScales;
  space.keep = IsClipped;  // without clipping a subject need not compute the norm
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::global_norm
