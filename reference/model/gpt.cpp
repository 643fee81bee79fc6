// GPT: embedding, blocks, head, softmax cross-entropy.
#include <string>

#include "reference/model/causal_attention.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/layer_norm.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/residual.hpp"
#include "reference/model/sequence.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/token_position_embedding.hpp"
#include "reference/model/units.hpp"

namespace zerocts {
namespace {

/// in, out [B*T, C]: out = h + mlp(norm2(h)), h = in + attention(norm1(in)).
std::unique_ptr<Unit> Block(const std::string& name, const GptSpec& spec, Precision precision) {
  const int64_t T = spec.context, C = spec.width, depth = 2 * spec.layers;
  const auto linear = [&](const char* part, int64_t inputs, int64_t outputs, int64_t residual_depth) {
    const LinearShape shape{.I = inputs, .O = outputs, .rows = T, .residual_depth = residual_depth};
    return std::make_unique<Linear>(name + part, shape, precision);
  };
  auto attention =
      SequenceOf(std::make_unique<LayerNorm>(name + ".norm1", T, C), linear(".qkv", C, 3 * C, 0),
                 std::make_unique<CausalAttention>(T, spec.heads, C, precision), linear(".attention_out", C, C, depth));
  auto mlp = SequenceOf(std::make_unique<LayerNorm>(name + ".norm2", T, C), linear(".mlp_in", C, 4 * C, 0),
                        std::make_unique<Gelu>(T * 4 * C), linear(".mlp_out", 4 * C, C, depth));
  return SequenceOf(std::make_unique<Residual>(std::move(attention), T * C, precision),
                    std::make_unique<Residual>(std::move(mlp), T * C, precision));
}

/// in [B*T, C], out: logits [B*T, V].
std::unique_ptr<Unit> Head(const GptSpec& spec, Precision precision) {
  const int64_t T = spec.context, C = spec.width;
  const std::string weight = spec.tied ? "token_embedding" : "head";
  return SequenceOf(
      std::make_unique<LayerNorm>("final_norm", T, C),
      std::make_unique<Linear>(weight, LinearShape{.I = C, .O = spec.vocab, .rows = T, .bias = false}, precision));
}

}  // namespace

Units GptUnits(const GptSpec& spec, Precision precision) {
  Units units;
  units.push_back(std::make_unique<TokenPositionEmbedding>(spec.vocab, spec.context, spec.width));
  for (int64_t layer = 0; layer < spec.layers; ++layer) {
    units.push_back(Block("block" + std::to_string(layer), spec, precision));
  }
  units.push_back(Head(spec, precision));
  units.push_back(std::make_unique<SoftmaxCrossEntropy>(spec.context, spec.vocab));
  return units;
}

}  // namespace zerocts
