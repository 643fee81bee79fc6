// Exact sums by teams of threads (team.hpp): a team adds its values in bins of its own, then to those of all.
// Everything is an integer, so no order changes anything.
#pragma once
#include "impl/device/team.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/exact_sum.hpp"
#include "reference/numerics/magnitudes.hpp"
#include "reference/ops/optimizer_formulas.hpp"

namespace zerocts::engine::bodies {

ZEROCTS_INLINE uint32_t BiasedExponent(float x) { return (Bits(x) >> 23) & 255; }
/// The 24 bits of a mantissa whose biased exponent is not 0.
ZEROCTS_INLINE uint32_t NormalMantissa(float x) { return (Bits(x) & 0x7fffffu) | 0x800000u; }
ZEROCTS_INLINE uint32_t Mantissa(float x) { return BiasedExponent(x) != 0 ? NormalMantissa(x) : Bits(x) & 0x7fffffu; }

/// Values of one team. 2^15 of them, each of which adds less than 2^49, fit into a bin of 64 bits.
inline constexpr int64_t kSpan = 8192;
/// Teams add less than 2^48 each to the low word of a bin, so that this many fit in beside what it holds; then
/// CarrySquares.
inline constexpr int64_t kSpansBeforeCarry = 1 << 15;

/// A thread adds up on its own, without atomic operations, what lies in a window of exponents, `first` and the 24 after
/// it. In units of `first`, a mantissa there is high * 2^24 + low, both below 2^24.
inline constexpr uint32_t kHalfBits = 24, kWindow = kHalfBits + 1, kLastFinite = 254;
/// How far the window begins below the largest exponent that the team has seen, so that it also holds larger ones.
inline constexpr uint32_t kBelowLargest = 20;

ZEROCTS_INLINE uint32_t WindowFor(uint32_t largest) {
  const uint32_t first = largest > kBelowLargest ? largest - kBelowLargest : 1;
  return first + kWindow - 1 < kLastFinite ? first : kLastFinite - kWindow + 1;
}

/// What the halves of a mantissa add to sums that count Weight times in the bins `first` + part * kApart, and what a
/// value elsewhere adds to its own bin. No value adds 2^49 to a bin, or to one of magnitudes 2^24: a span stays below
/// 2^62, and the high words of SumOfSquares have room for 2^63 values as before.
struct Squares {
  static constexpr int kParts = 3, kApart = kHalfBits / 2;
  ZEROCTS_INLINE static void AddHalves(uint64_t (&sums)[kParts], uint32_t low, uint32_t high) {
    sums[0] += uint64_t{low} * low;
    sums[1] += uint64_t{low} * high;
    sums[2] += uint64_t{high} * high;
  }
  ZEROCTS_INLINE static uint64_t Weight(int part) { return part == 1 ? 2 : 1; }
  ZEROCTS_INLINE static uint64_t Of(float x) { return uint64_t{Mantissa(x)} * Mantissa(x); }
};
struct Magnitudes {
  static constexpr int kParts = 2, kApart = kHalfBits;
  ZEROCTS_INLINE static void AddHalves(uint64_t (&sums)[kParts], uint32_t low, uint32_t high) {
    sums[0] += low;
    sums[1] += high;
  }
  ZEROCTS_INLINE static uint64_t Weight(int) { return 1; }
  ZEROCTS_INLINE static uint64_t Of(float x) { return BiasedExponent(x) > kLastFinite ? 1 : Mantissa(x); }
};

/// The exact sum over one span by a team.
template <typename Kind>
struct SpanSum {
  static constexpr int kThreads = 256, kAhead = 4, kBatches = kSpan / (kThreads * kAhead);
  struct Room {
    uint64_t bins[256];  // the result
    uint64_t sums[Kind::kParts][kThreads];
    uint32_t largest;  // exponent of the finite ones among the first values of each thread
  };
  struct Mine {
    float ahead[kAhead];
    uint64_t sums[Kind::kParts];
  };

  /// term(i, thread), i < count, is called once for each.
  template <typename Team, typename Term>
  ZEROCTS_INLINE static void Add(const Team& team, Room& room, int count, const Term& term) {
    typename Team::template Private<Mine> mine;
    team.Each([&](int thread) {
      room.bins[thread] = 0;
      if (thread == 0) room.largest = 0;
      for (uint64_t& sum : mine[thread].sums) sum = 0;
      Read(mine[thread], count, 0, thread, term);
    });
    team.Each([&](int thread) { team.AtomicMax(&room.largest, LargestFinite(mine[thread])); });
    const uint32_t first = WindowFor(room.largest);
    team.Each([&](int thread) {
      AddRead(team, room, mine[thread], first);
      if (count > kThreads) {  // else the first batch had all of them
        for (int batch = 1; batch < kBatches; ++batch) {
          Read(mine[thread], count, batch, thread, term);
          AddRead(team, room, mine[thread], first);
        }
      }
      for (int part = 0; part < Kind::kParts; ++part) room.sums[part][thread] = mine[thread].sums[part];
    });
    for (int half = kThreads / 2; half > 0; half /= 2) {
      team.Each([&](int thread) {
        if (thread >= half) return;
        for (auto& sums : room.sums) sums[thread] += sums[thread + half];
      });
    }
    team.Each([&](int thread) {
      if (thread >= Kind::kParts) return;
      room.bins[first + thread * Kind::kApart] = Kind::Weight(thread) * room.sums[thread][0];
    });
  }

 private:
  /// Several loads at once. The first batch meets every part of the span.
  template <typename Term>
  ZEROCTS_INLINE static void Read(Mine& mine, int count, int batch, int thread, const Term& term) {
    for (int n = 0; n < kAhead; ++n) {
      const int i = (n * kBatches + batch) * kThreads + thread;
      mine.ahead[n] = i < count ? term(i, thread) : 0.0f;
    }
  }

  ZEROCTS_INLINE static uint32_t LargestFinite(const Mine& mine) {
    uint32_t largest = 0;
    for (const float x : mine.ahead) {
      const uint32_t exponent = BiasedExponent(x);
      if (exponent <= kLastFinite && exponent > largest) largest = exponent;
    }
    return largest;
  }

  template <typename Team>
  ZEROCTS_INLINE static void AddRead(const Team& team, Room& room, Mine& mine, uint32_t first) {
    for (const float x : mine.ahead) {
      const uint32_t exponent = BiasedExponent(x), distance = exponent - first;
      if (distance < kWindow) {
        const uint32_t mantissa = NormalMantissa(x);
        Kind::AddHalves(mine.sums, mantissa << distance & ((1u << kHalfBits) - 1), mantissa >> (kHalfBits - distance));
      } else if (x != 0.0f) {
        team.AtomicAdd(&room.bins[exponent], Kind::Of(x));
      }
    }
  }
};

/// The values of span n.
ZEROCTS_INLINE int SpanCount(int64_t n, int64_t numel) {
  const int64_t left = numel - n * kSpan;
  return static_cast<int>(left < kSpan ? left : kSpan);
}

/// Team n adds the squares of term(i), i in its span of `numel` values, where Term is Plain or LambMoments.
template <typename Term>
struct AddSquares {
  using Sum = SpanSum<Squares>;
  using Room = Sum::Room;
  static constexpr int kThreads = Sum::kThreads;
  SumOfSquares* accumulator;
  Term term;
  int64_t numel;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    Sum::Add(team, room, SpanCount(n, numel), [&](int i, int) { return term(n * kSpan + i); });
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
  using Sum = SpanSum<Magnitudes>;
  static constexpr int kThreads = Sum::kThreads;
  struct Room : Sum::Room {
    uint32_t largest_bits;
  };
  SumOfMagnitudes* accumulator;
  const float* in;
  int64_t numel;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    typename Team::template Private<uint32_t> largest_bits;
    team.Each([&](int thread) {
      largest_bits[thread] = 0;
      if (thread == 0) room.largest_bits = 0;
    });
    Sum::Add(team, room, SpanCount(n, numel), [&](int i, int thread) {
      const float x = in[n * kSpan + i];
      const uint32_t bits = Bits(x) & 0x7fffffffu;
      if (bits > largest_bits[thread]) largest_bits[thread] = bits;
      return x;
    });
    team.Each([&](int thread) { team.AtomicMax(&room.largest_bits, largest_bits[thread]); });
    team.Each([&](int thread) {
      if (room.bins[thread] != 0) team.AtomicAdd(&accumulator->bins[thread], room.bins[thread]);
      if (thread == 0) team.AtomicMax(&accumulator->largest_bits, room.largest_bits);
    });
  }
};

}  // namespace zerocts::engine::bodies
