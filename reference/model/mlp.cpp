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
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    const LinearShape shape{.I = width, .O = spec.hidden[i]};
    units.push_back(std::make_unique<Linear>("hidden" + std::to_string(i), shape, precision));
    units.push_back(std::make_unique<Gelu>(spec.hidden[i]));
    width = spec.hidden[i];
  }
  units.push_back(std::make_unique<Linear>("logits", LinearShape{.I = width, .O = spec.vocab}, precision));
  units.push_back(std::make_unique<SoftmaxCrossEntropy>(1, spec.vocab));
  return units;
}

}  // namespace zerocts
