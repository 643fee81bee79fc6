// A guess at why a piece is wrong, from how its values relate to the expected ones. A help for the reader, never part
// of a verdict.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zerocts {

struct WrongPiece {
  std::span<const float> expected;  // the whole tensor, [numel]
  std::span<const float> before;    // the whole tensor before the step; empty: there was none
  int64_t begin = 0;                // first element of the piece
  std::span<const float> got;       // the piece
  int world_size = 1, micro_batches = 1, replicas = 1;
  bool curved = false;  // it comes from the gradient of a quadratic loss
  int experts = 1;      // of one of which the tensor is
};

struct Hint {
  std::string text;                  // "wrong by W * K: a sum instead of the mean?"; "": nothing explains it
  std::vector<std::string> factors;  // of check/cause/factors.hpp: "W * K: a sum instead of the mean"
};

/// What explains every element that differs.
Hint HintFor(const WrongPiece& piece);

/// For one number, such as the norm.
Hint FactorHint(float expected, float got, int world_size, int micro_batches, int replicas = 1);

}  // namespace zerocts
