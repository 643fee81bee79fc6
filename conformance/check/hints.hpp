// A guess at why a piece is wrong, from how its values relate to the expected ones. A help for the reader, never part
// of a verdict.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace zerocts {

struct WrongPiece {
  std::span<const float> expected;  // the whole tensor, [numel]
  std::span<const float> before;    // the whole tensor before the step; empty: there was none
  int64_t begin = 0;                // first element of the piece
  std::span<const float> got;       // the piece
  int world_size = 1, micro_batches = 1;
};

/// "" when nothing explains every element that differs.
std::string HintFor(const WrongPiece& piece);

/// For one number, such as the norm.
std::string FactorHint(float expected, float got, int world_size, int micro_batches);

}  // namespace zerocts
