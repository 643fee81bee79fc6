// The exact real sum of magnitudes of fp32 values, rounded once, and the largest of them: the 1-norm and the
// infinity-norm. They depend on no order, shard or world size.
#pragma once
#include <array>
#include <cstdint>

namespace zerocts {

/// One bin per fp32 exponent, each a sum of 24-bit mantissas: plain integers, as in SumOfSquares. Room for 2^40 values,
/// since no sum of that many mantissas fills a bin.
struct SumOfMagnitudes {
  std::array<uint64_t, 256> bins{};  // bins[255] counts values that are infinite or NaN
  uint32_t largest_bits = 0;

  void Add(const float* values, int64_t count);
  void Merge(const SumOfMagnitudes& other);

  bool finite() const { return bins[255] == 0; }
  /// The sum, correctly rounded to fp32 (infinite when it is beyond); NaN when a value was infinite or NaN.
  float Value() const;
  /// NaN when a value was infinite or NaN.
  float Largest() const;
};

}  // namespace zerocts
