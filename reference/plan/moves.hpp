// What moves between ranks when one plan replaces another: parameters and optimizer state; gradients do not outlive a
// step.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/plan/plan.hpp"

namespace zerocts::plan {

struct Move {
  int from = 0, to = 0;
  int64_t bytes = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

struct Moves {
  std::vector<Move> moves;  // by from, then to; one per pair of ranks
  int64_t total = 0;
  /// Every rank must get, once, what it will hold and does not hold. No reshard moves less.
  int64_t least = 0;
  /// Every rank gets everything and keeps its part, as tools do that save and load whole tensors.
  int64_t gathered_whole = 0;
};

/// Bytes per element: of a parameter those of its dtype, of the optimizer's state `optimizer_bytes`. Expects two sound
/// plans. Throws std::invalid_argument unless they have the same tensors, where affine pieces of the first overlap, and
/// where its shards fall into more than 2^26 runs.
Moves MovesBetween(const Plan& before, const Plan& after, int optimizer_bytes);

}  // namespace zerocts::plan
