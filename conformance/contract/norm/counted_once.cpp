#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::counted_once {

const Clause kClause{
    .id = "C-ZERO-031",
    .name = "each element counted once",
    .sentence =
        "Every element of the mean gradient is in the norm once: shared, replicated and frozen ones, "
        "and those that other ranks hold.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Meshes of replicas, experts, tied names and frozen parameters under clipping; the norm itself and what it "
        "clips are compared.",
    .bugs = {{"Unsharded gradients were counted once per rank.", "https://github.com/pytorch/pytorch/pull/88955"},
             {"Replicated parameters were counted once per rank of the sharding group.",
              "https://github.com/mindspore-ai/hyper-parallel/issues/279"},
             {"Gradients of experts were left out or doubled, by the group that was asked.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5916"}},
    .essential = {{"clip_active"}, {"mesh", "tied", "frozen", "several_ranks"}},
    .features = {"mesh", "tied", "frozen", "clip_active", "experts"},
    .revision = 5,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kPythagorean, GradientSource::kUniform};
  space.initial = InitialValues::kUniform;
  space.vary = {"experts", "tied names", "frozen parameters", "mesh", "clipping", "loss"};
  space.keep = IsClipped;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::counted_once
