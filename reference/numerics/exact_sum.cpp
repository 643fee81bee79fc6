#include "reference/numerics/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kLowMask = (uint64_t{1} << SumOfSquares::kLowBits) - 1;
constexpr int kNotFinite = 255;
constexpr int kCopies = 4;           // interleaved bins, so that neighbours of one exponent do not wait for each other
constexpr int64_t kChunk = 1 << 15;  // squares below 2^48: 2^15 of them leave a bin of 64 bits far from full

void AddTo(SumOfSquares::Bin& bin, uint64_t value) {
  bin.low += value & kLowMask;
  bin.high += (value >> SumOfSquares::kLowBits) + (bin.low >> SumOfSquares::kLowBits);
  bin.low &= kLowMask;
}

/// A non-negative integer of 704 bits in units of 2^-298, the square of the smallest subnormal.
class WideInteger {
 public:
  void Add(uint64_t value, int shift) {
    const int word = shift / 64, bit = shift % 64;
    AddWord(value << bit, word);
    if (bit > 0) AddWord(value >> (64 - bit), word + 1);
  }

  double RoundToDouble() const {
    int top = kWords - 1;
    while (top >= 0 && words_[top] == 0) --top;
    if (top < 0) return 0.0;
    const int zeros = std::countl_zero(words_[top]);
    uint64_t leading = words_[top] << zeros;  // the 64 leading bits; of what is below, only whether it is zero counts
    bool rest = false;
    if (top > 0) {
      if (zeros > 0) leading |= words_[top - 1] >> (64 - zeros);
      rest = (words_[top - 1] << zeros) != 0;
      for (int i = 0; i < top - 1; ++i) rest |= words_[i] != 0;
    }
    return std::ldexp(static_cast<double>(leading | uint64_t{rest}), 64 * top - zeros - 298);
  }

 private:
  static constexpr int kWords = 11;

  void AddWord(uint64_t value, int word) {
    for (; value != 0; ++word) {
      words_[word] += value;
      value = words_[word] < value ? 1 : 0;
    }
  }

  std::array<uint64_t, kWords> words_{};
};

}  // namespace

void SumOfSquares::Add(const float* values, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t end = std::min(begin + kChunk, count);
    uint64_t sums[kCopies][256] = {};
    for (int64_t i = begin; i < end; ++i) {
      const uint32_t bits = Bits(values[i]);
      const uint32_t exponent = (bits >> 23) & 255;
      const uint64_t mantissa = (bits & 0x7fffffu) | (uint32_t{exponent != 0} << 23);
      sums[i % kCopies][exponent] += mantissa * mantissa;
    }
    for (int exponent = 0; exponent < 256; ++exponent) {
      for (const auto& copy : sums) AddTo(bins[exponent], copy[exponent]);
    }
  }
}

void SumOfSquares::AddSum(int exponent, uint64_t sum) { AddTo(bins[exponent], sum); }

void SumOfSquares::Merge(const SumOfSquares& other) {
  for (int exponent = 0; exponent < 256; ++exponent) {
    AddTo(bins[exponent], other.bins[exponent].low);
    bins[exponent].high += other.bins[exponent].high;
  }
}

double SumOfSquares::Value() const {
  if (bins[kNotFinite].low != 0 || bins[kNotFinite].high != 0) return std::numeric_limits<double>::quiet_NaN();
  WideInteger sum;
  for (int exponent = 0; exponent < kNotFinite; ++exponent) {
    const int shift = 2 * (std::max(exponent, 1) - 1);  // subnormals have the unit of exponent 1
    sum.Add(bins[exponent].low, shift);
    sum.Add(bins[exponent].high, shift + kLowBits);
  }
  return sum.RoundToDouble();
}

float SumOfSquares::Norm() const { return static_cast<float>(std::sqrt(Value())); }

}  // namespace zerocts
