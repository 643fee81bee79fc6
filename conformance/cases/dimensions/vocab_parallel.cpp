// Whether tensor ranks split the vocabulary: rows of embedding and head, and the loss over their logits.
#include "conformance/cases/dimensions/model_split.hpp"

namespace zerocts {

Dimension VocabParallelDimension() {
  return SplitDimension(
      {.name = "vocab_parallel",
       .feature = "tensor_vocab",
       .meaning = "tensor ranks have rows of the embedding, and the logits of those tokens",
       .declared = &Capabilities::vocab_parallel,
       .find = [](ModelSpec& model) { return std::visit([](auto& spec) { return &spec.vocab_parallel; }, model); },
       .smallest = MlpSpec{.context = 2, .embedding = 2, .hidden = {2}}});
}

}  // namespace zerocts
