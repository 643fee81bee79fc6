// Oracle: the MLP as a chain of units.
#pragma once
#include "reference/model/oracle.hpp"

namespace zerocts::oracle {

/// For one micro-batch of B sequences, which goes through `expert`: inputs [B, T], targets [B]. Parameters are those of
/// ModelParameters(spec), in their order.
inline Chain MlpChain(const MlpSpec& spec, int64_t B, const std::vector<int32_t>& inputs,
                      const std::vector<int32_t>& targets, Precision precision = Precision::kFp32, size_t expert = 0) {
  Chain chain{{{Embedding{B, spec.context, spec.embedding, spec.vocab, inputs}, 1}}};
  int64_t width = spec.context * spec.embedding;
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    const Linear linear{B, width, spec.hidden[i], precision};
    if (spec.experts > 1 && i + 1 == spec.hidden.size()) {
      chain.links.push_back({ExpertLinear{linear, expert}, 2 * static_cast<size_t>(spec.experts)});
    } else {
      chain.links.push_back({linear, 2});
    }
    chain.links.push_back({Gelu{}, 0});
    width = spec.hidden[i];
  }
  chain.links.push_back({Linear{B, width, spec.vocab, precision}, 2});
  chain.links.push_back({SoftmaxCrossEntropy{B, spec.vocab, targets}, 0});
  return chain;
}

}  // namespace zerocts::oracle
