// Causal attention of one head on host memory, composed of layer kernels. The definition stands in ops.hpp.
// Legend: T = tokens, C = channels of all heads, D = channels of this head.
#pragma once
#include <cstdint>

#include "reference/ops/kernel_table.hpp"

namespace zerocts {

/// One head of one sample. k stands C elements after q, v after k, and so do their gradients; their rows stand 3 * C
/// apart, those of out and upstream C apart; probabilities [T, T] are dense.
struct AttentionHead {
  int64_t T, C, D;
  bool round_operands;
};

/// q, k, v are rounded already where operands are rounded.
void AttendHead(const KernelTable& kernels, const AttentionHead& head, float* out, float* probabilities,
                const float* q);

/// upstream is rounded already where operands are rounded.
void AttendHeadGradient(const KernelTable& kernels, const AttentionHead& head, float* q_gradient, const float* upstream,
                        const float* q, const float* probabilities);

}  // namespace zerocts
