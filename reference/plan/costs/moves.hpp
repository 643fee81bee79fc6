// What moves between ranks when one plan replaces another: parameters and optimizer state; gradients do not outlive a
// step.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/plan/value/plan.hpp"

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

/// Bytes of an element.
struct MovedBytes {
  std::optional<int> parameter;  // absent: those of its dtype
  int optimizer = 0;             // of all moments, and of the master copy
};

/// A tensor's state moves where both plans have it: a frozen tensor has no optimizer state. Expects two sound plans.
/// Throws std::invalid_argument unless they have the same tensors, where affine pieces of the first overlap, where its
/// shards fall into more than 2^26 runs, where more than 2^22 pairs of ranks meet, and beyond 2^63 - 1 bytes.
Moves MovesBetween(const Plan& before, const Plan& after, const MovedBytes& bytes);

}  // namespace zerocts::plan
