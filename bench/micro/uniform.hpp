#pragma once
#include <cstdint>
#include <vector>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts {

/// Values below one; others for each stream.
inline std::vector<float> Uniform(int64_t numel, uint64_t stream) {
  std::vector<float> values(numel);
  for (int64_t i = 0; i < numel; ++i) values[i] = RandomUniform(1, stream, i);
  return values;
}

}  // namespace zerocts
