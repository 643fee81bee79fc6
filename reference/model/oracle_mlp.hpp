// Oracle: the MLP as a chain of units.
#pragma once
#include "reference/model/oracle.hpp"

namespace zerocts::oracle {

/// For one micro-batch of B sequences: inputs [B, T], targets [B]. Parameters are those of ModelParameters(spec), in
/// their order.
inline Chain MlpChain(const MlpSpec& spec, int64_t B, const std::vector<int32_t>& inputs,
                      const std::vector<int32_t>& targets, Precision precision = Precision::kFp32) {
  Chain chain{{{Embedding{B, spec.context, spec.embedding, spec.vocab, inputs}, 1}}};
  int64_t width = spec.context * spec.embedding;
  for (const int64_t hidden : spec.hidden) {
    chain.links.push_back({Linear{B, width, hidden, precision}, 2});
    chain.links.push_back({Gelu{}, 0});
    width = hidden;
  }
  chain.links.push_back({Linear{B, width, spec.vocab, precision}, 2});
  chain.links.push_back({SoftmaxCrossEntropy{B, spec.vocab, targets}, 0});
  return chain;
}

}  // namespace zerocts::oracle
