// GPT: embedding, blocks, head, softmax cross-entropy.
#include <string>

#include "reference/model/causal_attention.hpp"
#include "reference/model/embedding.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/layer_norm.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/position_embedding.hpp"
#include "reference/model/residual.hpp"
#include "reference/model/sequence.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/split_cross_entropy.hpp"
#include "reference/model/units.hpp"

namespace zerocts {
namespace {

/// in, out [B*T, C]: out = h + mlp(norm2(h)), h = in + attention(norm1(in)).
std::unique_ptr<Unit> Block(const std::string& name, const GptSpec& spec, Precision precision,
                            const LayerMaker& maker) {
  const int64_t T = spec.context, C = spec.width;
  const auto linear = [&](const char* part, LinearShape shape) {
    shape.rows = T;
    shape.order = spec.slice_order;
    return maker.MakeLinear(name + part, shape, precision);
  };
  const auto column_parallel = [&](const char* part, int64_t inputs, int64_t outputs, int64_t parts) {
    return linear(part, {.I = inputs, .O = outputs, .split = TensorSplit::kOutputs, .parts = parts});
  };
  const auto row_parallel = [&](const char* part, int64_t inputs, int64_t outputs) {
    return linear(part, {.I = inputs, .O = outputs, .residual_depth = 2 * spec.layers, .split = TensorSplit::kInputs});
  };
  auto attention =
      SequenceOf(std::make_unique<LayerNorm>(name + ".norm1", T, C), column_parallel(".qkv", C, 3 * C, 3),
                 std::make_unique<CausalAttention>(T, maker.OwnNumel(spec.heads), maker.OwnNumel(C), precision),
                 row_parallel(".attention_out", C, C));
  auto mlp = SequenceOf(std::make_unique<LayerNorm>(name + ".norm2", T, C), column_parallel(".mlp_in", C, 4 * C, 1),
                        std::make_unique<Gelu>(T * maker.OwnNumel(4 * C)), row_parallel(".mlp_out", 4 * C, C));
  return SequenceOf(std::make_unique<Residual>(std::move(attention), T * C, precision),
                    std::make_unique<Residual>(std::move(mlp), T * C, precision));
}

/// out [B*T, C].
std::unique_ptr<Unit> Embeddings(const GptSpec& spec, const LayerMaker& maker) {
  const EmbeddingShape shape{spec.vocab, spec.context, spec.width, spec.vocab_parallel};
  return SequenceOf(maker.MakeEmbedding("token_embedding", shape),
                    std::make_unique<PositionEmbedding>(spec.context, spec.width));
}

/// in [B*T, C], out: logits [B*T, V].
std::unique_ptr<Unit> Head(const GptSpec& spec, Precision precision, const LayerMaker& maker) {
  const int64_t T = spec.context, C = spec.width;
  const std::string weight = spec.tied ? "token_embedding" : "head";
  const LinearShape shape{.I = C,
                          .O = spec.vocab,
                          .rows = T,
                          .bias = false,
                          .split = TensorSplit::kOutputs,
                          .order = spec.slice_order,
                          .gather_output = !spec.vocab_parallel,
                          .replicated = spec.tied && !spec.vocab_parallel};
  return SequenceOf(std::make_unique<LayerNorm>("final_norm", T, C), maker.MakeLinear(weight, shape, precision));
}

/// in: logits [B*T, V], out: losses [B*T].
std::unique_ptr<Unit> Loss(const GptSpec& spec, const LayerMaker& maker) {
  if (spec.vocab_parallel) return maker.MakeCrossEntropy({spec.context, spec.vocab, spec.slice_order.slices});
  return std::make_unique<SoftmaxCrossEntropy>(spec.context, spec.vocab);
}

}  // namespace

Units GptUnits(const GptSpec& spec, Precision precision, const LayerMaker& maker) {
  Units units;
  units.push_back(Embeddings(spec, maker));
  for (int64_t layer = 0; layer < spec.layers; ++layer) {
    units.push_back(Block("block" + std::to_string(layer), spec, precision, maker));
  }
  units.push_back(Head(spec, precision, maker));
  units.push_back(Loss(spec, maker));
  return units;
}

}  // namespace zerocts
