// The exact real sum of squares of fp32 values, rounded once. It depends on no order, shard or world size.
#pragma once
#include <array>
#include <cstdint>

namespace zerocts {

/// One 112-bit bin per fp32 exponent, each a sum of squared 24-bit mantissas: low + 2^48 * high. 4 KiB of plain
/// integers: accumulators are merged in any order by any algorithm, up to 65,536 of them also by adding all 512 words
/// as plain uint64 (an integer all-reduce), because Add and Merge leave `low` below 2^48. Room for 2^63 values.
struct SumOfSquares {
  static constexpr int kLowBits = 48;
  struct Bin {
    uint64_t low = 0, high = 0;
  };
  std::array<Bin, 256> bins{};  // bins[255] is not zero when a value was infinite or NaN

  void Add(const float* values, int64_t count);
  /// Adds `sum` units of the squared mantissas of an exponent: what a faster way of adding has added up.
  void AddSum(int exponent, uint64_t sum);
  void Merge(const SumOfSquares& other);

  /// The sum, correctly rounded to double; NaN when a value was infinite or NaN.
  double Value() const;
  /// sqrt(Value()) in double, rounded to fp32: the global norm.
  float Norm() const;
};
static_assert(sizeof(SumOfSquares) == 4096);

}  // namespace zerocts
