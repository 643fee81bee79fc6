// The character-level MLP: embedding, (linear, GELU) per hidden layer, logits, softmax cross-entropy.
#include <string>

#include "reference/model/embedding.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/units.hpp"

namespace zerocts {

Units MlpUnits(const MlpSpec& spec, Precision precision) {
  Units units;
  units.push_back(std::make_unique<Embedding>(spec.vocab, spec.context, spec.embedding));
  int64_t width = spec.context * spec.embedding;
  auto split = TensorSplit::kOutputs;
  const auto append_linear = [&](const std::string& name, int64_t outputs) {
    const LinearShape shape{.I = width, .O = outputs, .split = split, .order = spec.slice_order};
    units.push_back(std::make_unique<Linear>(name, shape, precision));
    width = outputs;
    split = split == TensorSplit::kOutputs ? TensorSplit::kInputs : TensorSplit::kOutputs;
  };
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    append_linear("hidden" + std::to_string(i), spec.hidden[i]);
    units.push_back(std::make_unique<Gelu>(spec.hidden[i]));
  }
  append_linear("logits", spec.vocab);
  units.push_back(std::make_unique<SoftmaxCrossEntropy>(1, spec.vocab));
  return units;
}

}  // namespace zerocts
