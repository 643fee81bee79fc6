#include "conformance/cases/whole/features.hpp"
#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::split_sequence {

const Clause kClause{
    .id = "C-ZERO-126",
    .name = "split sequence",
    .sentence =
        "Where T tensor ranks split the positions between their layers, norms and biases of row-parallel layers have "
        "the gradients of all positions, each added once, and training has the bits of one process.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "A GPT, tied or not, of contexts that T need not divide. A rank has its part of the positions of every "
        "sequence; it gathers them for a column-parallel layer, and a row-parallel one adds and scatters. Gradients "
        "that every position adds to are sums over slices(n) of the positions. Losses, gradients, norms, parameters "
        "and states are those of the reference.",
    .bugs = {{"The gradient of the final norm was left as each rank's positions made it.",
              "https://github.com/NVIDIA/Megatron-LM/issues/1446"},
             {"Gradients of norms were averaged over tensor ranks in place of added.",
              "https://github.com/EleutherAI/gpt-neox/pull/1259"},
             {"Gradients of norms were not added unless communication overlapped.",
              "https://github.com/InternLM/InternLM/pull/534"}},
    .essential = {{"tensor_sequence"}},
    .features = {"tensor_sequence", "tensor_shards", "clip_active", "multi_step", "accumulation"},
};

CaseSpace Space() {
  CaseSpace space = SplitModels();
  space.vary.insert({"clipping", "gradient sync"});
  space.keep = [](const Case& c) { return HasFeature(c, "tensor_sequence"); };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::split_sequence
