// Exact sums by teams of threads (team.hpp): a team adds its values in bins of its own, then to those of all.
// Everything is an integer, so no order changes anything.
#pragma once
#include "impl/device/team.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/exact_sum.hpp"
#include "reference/numerics/magnitudes.hpp"
#include "reference/ops/optimizer_formulas.hpp"

namespace zerocts::engine::bodies {

/// Biased exponent and 24-bit mantissa of a float.
struct FloatParts {
  uint32_t exponent, mantissa;
};
ZEROCTS_INLINE FloatParts PartsOf(float x) {
  const uint32_t bits = Bits(x), exponent = (bits >> 23) & 255;
  return {exponent, (bits & 0x7fffffu) | (uint32_t{exponent != 0} << 23)};
}

/// Values of one team. 2^16 squares below 2^48 fit into a bin of 64 bits.
inline constexpr int64_t kSpan = 8192;
/// Teams add less than 2^48 each to the low word of a bin, so that this many fit in beside what it holds; then
/// CarrySquares.
inline constexpr int64_t kSpansBeforeCarry = 1 << 15;

/// Team n adds the squares of term(i), i in its span of `numel` values, where Term is Plain or LambMoments.
template <typename Term>
struct AddSquares {
  static constexpr int kThreads = 256;
  struct Room {
    uint64_t bins[256];
  };
  SumOfSquares* accumulator;
  Term term;
  int64_t numel;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t begin = n * kSpan, end = begin + kSpan < numel ? begin + kSpan : numel;
    team.Each([&](int thread) { room.bins[thread] = 0; });
    team.Each([&](int thread) {
      for (int64_t i = begin + thread; i < end; i += kThreads) {
        const auto [exponent, mantissa] = PartsOf(term(i));
        team.AtomicAdd(&room.bins[exponent], uint64_t{mantissa} * mantissa);
      }
    });
    team.Each([&](int thread) {
      const uint64_t sum = room.bins[thread];
      if (sum == 0) return;
      SumOfSquares::Bin& bin = accumulator->bins[thread];
      team.AtomicAdd(&bin.low, sum & ((uint64_t{1} << SumOfSquares::kLowBits) - 1));
      team.AtomicAdd(&bin.high, sum >> SumOfSquares::kLowBits);
    });
  }
};

/// Exponent i: what the low word holds beyond its 48 bits goes to the high one.
struct CarrySquares {
  SumOfSquares* accumulator;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    SumOfSquares::Bin& bin = accumulator->bins[i];
    bin.high += bin.low >> SumOfSquares::kLowBits;
    bin.low &= (uint64_t{1} << SumOfSquares::kLowBits) - 1;
  }
};

struct Plain {
  const float* in;
  ZEROCTS_INLINE float operator()(int64_t i) const { return in[i]; }
};

/// Advances the moments; the update.
struct LambMoments {
  OptimizerFormula formula;
  AdamScalars scalars;
  const float* master;
  float *exp_avg, *exp_avg_sq;
  const float* gradient;
  ZEROCTS_INLINE float operator()(int64_t i) const {
    return formulas::LambMoments(formula, scalars, master[i], exp_avg[i], exp_avg_sq[i], gradient[i]);
  }
};

/// Team n adds the magnitudes of its span of `numel` values.
struct AddMagnitudes {
  static constexpr int kThreads = 256;
  struct Room {
    uint64_t bins[256];
    uint32_t largest_bits;
  };
  SumOfMagnitudes* accumulator;
  const float* in;
  int64_t numel;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t begin = n * kSpan, end = begin + kSpan < numel ? begin + kSpan : numel;
    team.Each([&](int thread) {
      room.bins[thread] = 0;
      if (thread == 0) room.largest_bits = 0;
    });
    team.Each([&](int thread) {
      for (int64_t i = begin + thread; i < end; i += kThreads) {
        const auto [exponent, mantissa] = PartsOf(in[i]);
        team.AtomicAdd(&room.bins[exponent], uint64_t{exponent == 255 ? 1 : mantissa});
        team.AtomicMax(&room.largest_bits, Bits(in[i]) & 0x7fffffffu);
      }
    });
    team.Each([&](int thread) {
      if (room.bins[thread] != 0) team.AtomicAdd(&accumulator->bins[thread], room.bins[thread]);
      if (thread == 0) team.AtomicMax(&accumulator->largest_bits, room.largest_bits);
    });
  }
};

}  // namespace zerocts::engine::bodies
