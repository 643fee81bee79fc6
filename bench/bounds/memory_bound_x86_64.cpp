// Loops that do nothing but move memory, with stores that do not read what they overwrite.
#include <immintrin.h>

#include "bench/bounds/memory_bound.hpp"

namespace zerocts {
namespace {

constexpr int64_t kLine = 16;  // floats

struct Line {
  __m128 values[4];
};

Line Load(const float* in) {
  return {_mm_loadu_ps(in), _mm_loadu_ps(in + 4), _mm_loadu_ps(in + 8), _mm_loadu_ps(in + 12)};
}

void Stream(float* out, const Line& line) {
  for (int i = 0; i < 4; ++i) _mm_stream_ps(out + 4 * i, line.values[i]);
}

}  // namespace

// Memory of the benchmark begins with a line and holds whole ones.
void CopyAsBound(float* out, const float* in, int64_t numel) {
  for (int64_t i = 0; i < numel; i += kLine) Stream(out + i, Load(in + i));
  _mm_sfence();
}

void SumAsBound(float* out, const float* in, int streams, int64_t numel) {
  for (int64_t i = 0; i < numel; i += kLine) {
    Line sum = Load(in + i);
    for (int s = 1; s < streams; ++s) {
      const Line addend = Load(in + s * numel + i);
      for (int j = 0; j < 4; ++j) sum.values[j] = _mm_add_ps(sum.values[j], addend.values[j]);
    }
    Stream(out + i, sum);
  }
  _mm_sfence();
}

}  // namespace zerocts
