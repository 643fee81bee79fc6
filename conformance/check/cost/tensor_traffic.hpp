// What tensor ranks have to give each other, and what they may at most, layer by layer.
#pragma once
#include <cstdint>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// In one micro-batch, bytes that the T tensor ranks of one position receive, all of them together. Of a sum over m
/// elements that are split, in n slices (none of them empty: at most m), whose result has M values,
///
///   at most    (T - 1) n M        every rank: sums of slices are added where they meet, for the order is declared. An
///                                 all-reduce of one sum per rank, 2 (T - 1) M, is less
///              (T - 1) n / T M    where a rank needs its own positions alone
///   at least   2 (k - 1) M, or (k - 1) M
///
/// with k ranks that have something of each layer. A gathering of M values is (T - 1) M, at least (k - 1) M.
///
///   row-parallel     Forward: a sum of outputs. With split positions of its own; Backward gathers their gradients
///   column-parallel  Backward: a sum of gradients of inputs. With split positions of its own; Forward and Backward
///                    gather the inputs
///   logits           gathered, unless the vocabulary is split: then 2 values of each row and rank, and a sum of one
///   embedding        with a split vocabulary a sum of one addend per rank, 2 (T - 1) M; at least (k - 1) M
///   split positions  gradients of each norm's weight and bias are sums over positions; what comes back to the
///                    embedding is gathered
///
/// Values are fp32, and may travel as bf16 where the model rounds operands or sums to it. The least counts neither the
/// gradients of the embedding's output nor those of norms, which may be added with others later, no input twice, and of
/// logits only what a split loss needs. It holds for ranks that give away what layers make, not their weights.
struct TensorTraffic {
  uint64_t most_bytes = 0, least_bytes = 0;
};

/// Returns zeros for a case without tensor ranks.
TensorTraffic TensorTrafficOf(const Case& c);

}  // namespace zerocts
