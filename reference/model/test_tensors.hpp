// Tensors for unit tests of this room.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts {

using Floats = std::vector<float>;

inline Floats RandomFloats(int64_t numel, uint64_t stream, float scale = 1.0f) {
  Floats tensor(numel);
  for (int64_t i = 0; i < numel; ++i) tensor[i] = scale * RandomUniform(7, stream, i);
  return tensor;
}

inline std::vector<double> ToDouble(const Floats& tensor) { return {tensor.begin(), tensor.end()}; }

}  // namespace zerocts
