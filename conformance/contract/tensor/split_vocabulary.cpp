#include "conformance/cases/whole/features.hpp"
#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::split_vocabulary {

const Clause kClause{
    .id = "C-ZERO-125",
    .name = "split vocabulary",
    .sentence =
        "Where T tensor ranks split the vocabulary, a rank has rows of the embedding and of the head and the logits of "
        "those tokens; rows, losses and gradients have the bits of one process.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "An MLP and a GPT, tied or not, whose embedding is cut by rows and whose loss is made of logits that no rank "
        "has whole. The numerators of each softmax are added in slices(n) of the vocabulary. Vocabularies need not be "
        "multiples of T, and ranks may have no token. Losses, gradients, norms, parameters and states are those of the "
        "reference.",
    .bugs = {{"Losses left those of one GPU far behind where tensor ranks did not divide the vocabulary.",
              "https://github.com/NVIDIA/Megatron-LM/issues/1754"},
             {"The parallel loss was given logits that had been gathered: it was too large by log(T).",
              "https://github.com/NVIDIA/Megatron-LM/issues/7452"},
             {"The loss over split logits gave the gradient of one rank's part.",
              "https://github.com/apple/ml-cross-entropy/pull/42"}},
    .essential = {{"tensor_vocab"}},
    .features = {"tensor_vocab", "tensor_uneven", "tensor_shards", "tensor_tied", "clip_active", "multi_step"},
};

CaseSpace Space() {
  CaseSpace space = SplitModels();
  space.vary.insert("clipping");
  space.keep = [](const Case& c) { return HasFeature(c, "tensor_vocab"); };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::split_vocabulary
