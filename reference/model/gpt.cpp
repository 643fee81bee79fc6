// GPT: embedding, blocks, head, softmax cross-entropy.
#include <string>

#include "reference/model/causal_attention.hpp"
#include "reference/model/embedding.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/layer_norm.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/residual.hpp"
#include "reference/model/sequence.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/split_cross_entropy.hpp"
#include "reference/model/units.hpp"

namespace zerocts {
namespace {

/// How many positions of each sequence this process has in the residual stream.
int64_t OwnPositions(const GptSpec& spec, const LayerMaker& maker) {
  return spec.sequence_parallel ? maker.OwnNumel(spec.context) : spec.context;
}

std::unique_ptr<Unit> Norm(const std::string& name, const GptSpec& spec, const LayerMaker& maker) {
  const int64_t T = spec.context, C = spec.width;
  if (!spec.sequence_parallel) return std::make_unique<LayerNorm>(name, T, C);
  return std::make_unique<LayerNorm>(name, OwnPositions(spec, maker), C, maker.MakeRowSum(spec.slice_order, T));
}

/// The sizes for this process's heads.
AttentionSizes AttentionOf(const GptSpec& spec, const LayerMaker& maker) {
  return {.B = 1,
          .T = spec.context,
          .heads = maker.OwnNumel(spec.heads),
          .C = maker.OwnNumel(spec.width),
          .kv_heads = maker.OwnNumel(spec.kv_heads)};
}

/// Outputs of q, k and v side by side.
LinearShape Qkv(const GptSpec& spec) {
  const int64_t C = spec.width, group = spec.heads / spec.kv_heads;
  return {.I = C, .O = C + 2 * (C / group), .split = TensorSplit::kOutputs, .parts = {group, 1, 1}};
}

/// in, out [B*T, C]: out = h + mlp(norm2(h)), h = in + attention(norm1(in)).
std::unique_ptr<Unit> Block(const std::string& name, const GptSpec& spec, Precision precision,
                            const LayerMaker& maker) {
  const int64_t T = spec.context, C = spec.width;
  const auto linear = [&](const char* part, LinearShape shape) {
    shape.rows = T;
    shape.order = spec.slice_order;
    shape.sequence_parallel = spec.sequence_parallel;
    return maker.MakeLinear(name + part, shape, precision);
  };
  const auto row_parallel = [&](const char* part, int64_t inputs, int64_t outputs) {
    return linear(part, {.I = inputs, .O = outputs, .residual_depth = 2 * spec.layers, .split = TensorSplit::kInputs});
  };
  auto attention = SequenceOf(Norm(name + ".norm1", spec, maker), linear(".qkv", Qkv(spec)),
                              std::make_unique<CausalAttention>(AttentionOf(spec, maker), precision),
                              row_parallel(".attention_out", C, C));
  auto mlp = SequenceOf(Norm(name + ".norm2", spec, maker),
                        linear(".mlp_in", {.I = C, .O = 4 * C, .split = TensorSplit::kOutputs}),
                        std::make_unique<Gelu>(T * maker.OwnNumel(4 * C)), row_parallel(".mlp_out", 4 * C, C));
  const int64_t stream = OwnPositions(spec, maker) * C;
  return SequenceOf(std::make_unique<Residual>(std::move(attention), stream, precision),
                    std::make_unique<Residual>(std::move(mlp), stream, precision));
}

/// `embedding` makes [B*T, C]; out: the residual stream.
std::unique_ptr<Unit> EmbeddingToSplit(std::unique_ptr<Unit> embedding, const GptSpec& spec, const LayerMaker& maker) {
  if (!spec.sequence_parallel) return embedding;
  return maker.SplitPositions(std::move(embedding), spec.context, spec.width);
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
                          .replicated = spec.tied && !spec.vocab_parallel,
                          .sequence_parallel = spec.sequence_parallel};
  return SequenceOf(Norm("final_norm", spec, maker), maker.MakeLinear(weight, shape, precision));
}

/// in: logits [B*T, V], out: losses [B*T].
std::unique_ptr<Unit> Loss(const GptSpec& spec, const LayerMaker& maker) {
  if (spec.vocab_parallel) return maker.MakeCrossEntropy({spec.context, spec.vocab, spec.slice_order.slices});
  return std::make_unique<SoftmaxCrossEntropy>(spec.context, spec.vocab);
}

}  // namespace

Units GptUnits(const GptSpec& spec, Precision precision, const LayerMaker& maker) {
  Units units;
  units.push_back(EmbeddingToSplit(Embeddings(spec, maker), spec, maker));
  for (int64_t layer = 0; layer < spec.layers; ++layer) {
    units.push_back(Block("block" + std::to_string(layer), spec, precision, maker));
  }
  units.push_back(Head(spec, precision, maker));
  units.push_back(Loss(spec, maker));
  return units;
}

}  // namespace zerocts
