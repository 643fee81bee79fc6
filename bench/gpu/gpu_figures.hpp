// What is reported of a GPU's speed: an amount of work, its time, and the rate of the bound that it is compared with.
#pragma once
#include <cstdint>
#include <string>

#include "bench/record/figures.hpp"

namespace zerocts {

/// What an operation moves for one element: values that are read or written once each.
struct Traffic32 {
  int fp32 = 0, bf16 = 0;
  constexpr int64_t bytes() const { return 4 * int64_t{fp32} + 2 * int64_t{bf16}; }
};
constexpr Traffic32 kCopy{.fp32 = 2};
constexpr Traffic32 kAdamW{.fp32 = 7};  // p, m, v in and out, g in
constexpr Traffic32 kCast{.fp32 = 1, .bf16 = 1};
constexpr Traffic32 kNorm{.fp32 = 1};
constexpr Traffic32 FoldOf(int leaves) { return {.fp32 = leaves + 1}; }

/// Additions and multiplications of c[M, N] = a[M, K] b[K, N].
constexpr double ProductFlop(int64_t M, int64_t N, int64_t K) {
  return 2.0 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K);
}

struct GpuFigure {
  std::string name;
  double seconds = 0;     // of one repetition, the median
  double amount = 0;      // of work in it
  std::string unit;       // "byte", "flop", "token"; "": `seconds` alone counts
  std::string bound;      // what it is compared with; "": nothing
  double bound_rate = 0;  // amount per second of that
  double goal = 0;        // the share that is wanted; 0: none

  double rate() const { return amount / seconds; }
  double share() const { return rate() / bound_rate; }
};

/// Its rate, or its seconds where it has no unit, as a record beside the bound's rate; "seconds" and "goal" are
/// parameters.
void AddTo(Figures& figures, const GpuFigure& figure);

/// One step of `name` beside one of `other`: its share is the part of that speed which is left.
GpuFigure Overhead(const std::string& name, double seconds, const std::string& other, double other_seconds);

}  // namespace zerocts
