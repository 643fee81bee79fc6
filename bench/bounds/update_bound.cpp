#include "bench/bounds/memory_bound.hpp"

#include <bit>

namespace zerocts {

void UpdateAsBound(float* master, float* moment1, float* moment2, const float* gradient, int64_t numel) {
#pragma GCC ivdep
  for (int64_t i = 0; i < numel; ++i) {
    master[i] += gradient[i];
    moment1[i] += gradient[i];
    moment2[i] += gradient[i];
  }
}

void UpdateAndNarrowAsBound(float* master, float* moment1, float* moment2, const float* gradient, uint16_t* narrow,
                            int64_t numel) {
#pragma GCC ivdep
  for (int64_t i = 0; i < numel; ++i) {
    master[i] += gradient[i];
    moment1[i] += gradient[i];
    moment2[i] += gradient[i];
    narrow[i] = static_cast<uint16_t>(std::bit_cast<uint32_t>(master[i]) >> 16);
  }
}

}  // namespace zerocts
