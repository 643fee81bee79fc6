// The exact real sum of squares of fp32 values, rounded once. It depends on no order, shard or world size.
#pragma once
#include <array>
#include <cstdint>

namespace zerocts {

/// One 128-bit bin per fp32 exponent, each a sum of squared 24-bit mantissas; 4 KiB of plain integers. Merging two accumulators
/// is adding integers, so ranks may be merged in any order by any algorithm. Room for 2^79 values.
struct SumOfSquares {
  struct Bin {
    uint64_t low = 0, high = 0;
  };
  std::array<Bin, 256> bins{};  // bins[255] counts infinities and NaNs (nonzero: the sum is not finite)

  void Add(const float* values, int64_t count);
  void Merge(const SumOfSquares& other);

  /// The sum, correctly rounded to double; NaN when a value was infinite or NaN.
  double Value() const;
  /// sqrt(Value()) in double, rounded to fp32: the global norm.
  float Norm() const;
};
static_assert(sizeof(SumOfSquares) == 4096);

}  // namespace zerocts
