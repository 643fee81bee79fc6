#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::tied_beside_split {

const Clause kClause{
    .id = "C-ZERO-124",
    .name = "tied embedding beside split layers",
    .sentence =
        "The gradient of a token embedding that is the head's weight too is the sum of both uses, each added once, on "
        "every tensor rank; it enters the norm once, and stays one weight.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how = "A tied GPT whose blocks are split, with and without clipping; mean gradients, norm and every bit after.",
    .bugs = {{"A tied weight was counted twice in the norm.", "https://github.com/NVIDIA/Megatron-LM/pull/7228"},
             {"Gradients of a tied embedding were added after its shards had gone to different owners.",
              "https://github.com/NVIDIA/Megatron-LM/issues/844"}},
    .essential = {{"tensor_tied"}},
    .features = {"tensor_tied", "tensor_shards", "tensor_vocab", "clip_active"},
};

/// Only some of the draws are of a GPT, and of those some tied.
bool IsTied(const Case& c) {
  const GptSpec* gpt = std::get_if<GptSpec>(&*c.experiment.model);
  return gpt && gpt->tied;
}

CaseSpace Space() {
  CaseSpace space = SplitModels();
  space.vary.insert("clipping");
  space.keep = IsTied;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::tied_beside_split
