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
  int world_size = 1, micro_batches = 1, replicas = 1;
  bool curved = false;  // it comes from the gradient of a quadratic loss
};

/// "" when nothing explains every element that differs. Factors that are the same number here, such as W * K and K on
/// one rank, are all named: which it is, only another case can tell.
std::string HintFor(const WrongPiece& piece);

/// For one number, such as the norm.
std::string FactorHint(float expected, float got, int world_size, int micro_batches, int replicas = 1);

/// What a hint says, whatever the numbers of its case are: "# x expected (W * K): a sum in place of a mean?". Hints of
/// one kind may have one cause; of two kinds they tell the reader two things.
std::string KindOfHint(const std::string& hint);

}  // namespace zerocts
