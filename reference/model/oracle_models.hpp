// Oracle: whole models as chains of units. Parameters are those of ModelParameters(spec), in their order.
#pragma once
#include "reference/model/oracle.hpp"

namespace zerocts::oracle {

/// Sequences of tokens: inputs [B, T], targets [B] of an MLP, [B, T] of a GPT.
struct TokenBatch {
  int64_t B;
  std::vector<int32_t> inputs, targets;
};

/// For one micro-batch, which goes through `expert`.
inline Chain MlpChain(const MlpSpec& spec, const TokenBatch& batch, Rounding rounding = {}, size_t expert = 0) {
  const int64_t B = batch.B;
  Chain chain{{{Embedding{B, spec.context, spec.embedding, spec.vocab, batch.inputs, rounding.stored}, 1}},
              rounding.stored};
  int64_t width = spec.context * spec.embedding;
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    const Linear linear{B, width, spec.hidden[i], rounding.operands};
    if (spec.experts > 1 && i + 1 == spec.hidden.size()) {
      chain.links.push_back({ExpertLinear{linear, expert}, 2 * static_cast<size_t>(spec.experts)});
    } else {
      chain.links.push_back({linear, 2});
    }
    chain.links.push_back({Gelu{}, 0});
    width = spec.hidden[i];
  }
  chain.links.push_back({Linear{B, width, spec.vocab, rounding.operands}, 2});
  chain.links.push_back({SoftmaxCrossEntropy{B, spec.vocab, batch.targets, rounding.stored}, 0});
  return chain;
}

/// The head has a weight of its own.
inline Chain GptChain(const GptSpec& spec, const TokenBatch& batch, Rounding rounding = {}) {
  const int64_t B = batch.B, T = spec.context, C = spec.width, R = B * T;
  const Precision operands = rounding.operands, stored = rounding.stored;
  const Precision probabilities = stored == Precision::kBf16 ? stored : operands;
  Chain chain{{{TokenPositionEmbedding{B, T, C, spec.vocab, batch.inputs}, 2}}, stored};
  for (int64_t layer = 0; layer < spec.layers; ++layer) {
    const Chain attention{{{LayerNorm{R, C}, 2},
                           {Linear{R, C, C + 2 * C / spec.heads * spec.kv_heads, operands}, 2},
                           {CausalAttention{B, T, spec.heads, C, probabilities, spec.kv_heads, stored}, 0},
                           {Linear{R, C, C, operands}, 2}},
                          stored};
    const Chain mlp{
        {{LayerNorm{R, C}, 2}, {Linear{R, C, 4 * C, operands}, 2}, {Gelu{}, 0}, {Linear{R, 4 * C, C, operands}, 2}},
        stored};
    chain.links.push_back({Residual{std::make_shared<Chain>(attention)}, 6});
    chain.links.push_back({Residual{std::make_shared<Chain>(mlp)}, 6});
  }
  chain.links.push_back({LayerNorm{R, C}, 2});
  chain.links.push_back({Linear{R, C, spec.vocab, operands, false}, 1});
  chain.links.push_back({SoftmaxCrossEntropy{R, spec.vocab, batch.targets, stored}, 0});
  return chain;
}

inline Chain ModelChain(const ModelSpec& model, const TokenBatch& batch, Rounding rounding, size_t expert) {
  if (const auto* mlp = std::get_if<MlpSpec>(&model)) return MlpChain(*mlp, batch, rounding, expert);
  return GptChain(std::get<GptSpec>(model), batch, rounding);
}

/// What the chain of a model takes: a tied head once more.
template <typename N>
Tensors<N> ChainParameters(const ModelSpec& model, Tensors<N> parameters) {
  const auto* gpt = std::get_if<GptSpec>(&model);
  if (gpt && gpt->tied) parameters.push_back(parameters.front());
  return parameters;
}

}  // namespace zerocts::oracle
