// Causal attention of one head, and its gradient of one group of heads, on host memory, composed of layer kernels. The
// definition stands in ops.hpp. Legend: T = tokens, D = channels of a head.
#pragma once
#include <cstdint>

#include "reference/ops/kernel_table.hpp"

namespace zerocts {

/// Heads of one sample, by where the matrices of the first one stand. Rows of q, k and v, and of their gradients, stand
/// `row` apart, those of out and upstream C apart; probabilities [T, T] are dense, one square behind the other.
struct AttentionRows {
  int64_t T, D, row, C;
  bool round_operands;
};

struct KeysAndValues {
  const float *k, *v;
};

/// q, k, v are rounded already where operands are rounded.
void AttendHead(const KernelTable& kernels, const AttentionRows& rows, float* out, float* probabilities, const float* q,
                const KeysAndValues& kv);

/// Where the gradients of a group stand: q's of its first head, the next one's D elements behind.
struct GroupGradients {
  float *q, *k, *v;
};

/// Gradients of `heads` heads that share k and v: q and upstream of a head stand D elements behind those of the one
/// before. upstream is rounded already where operands are rounded.
void AttendGroupGradient(const KernelTable& kernels, const AttentionRows& rows, int64_t heads,
                         const GroupGradients& gradients, const float* upstream, const float* q,
                         const KeysAndValues& kv, const float* probabilities);

}  // namespace zerocts
