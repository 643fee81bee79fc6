// A fold over ranks as a short program, so that it fits into the arguments of a kernel.
#pragma once
#include "impl/device/map_group.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/reduction_order.hpp"

namespace zerocts::engine {

/// Steps on a stack of sums. The same additions and roundings, in the same order, as Evaluate of the fold.
class FoldProgram {
 public:
  static constexpr int kMostLeaves = 128, kMostSteps = 512, kDeepest = 16;

  /// Throws std::length_error for a fold that has more leaves, or is nested deeper, than a program can be, and
  /// std::invalid_argument for one that divides on the way.
  explicit FoldProgram(const Fold& fold);

  /// sums[n] = the fold of leaf(0, n), leaf(1, n), ..; a step is decoded once for all n.
  template <int N, typename Leaf>
  ZEROCTS_INLINE void Evaluate(float (&sums)[N], const Leaf& leaf) const {
    float below[kDeepest][N];  // `sums` is the top of the stack
    int depth = 0;
    for (int n = 0; n < N; ++n) sums[n] = leaf(LeafOf(0), n);  // the first push is on an empty stack
    for (int i = 1; i < count_; ++i) {
      const int kind = steps_[i] >> kKindShift;
      if (kind == kPush) {
        for (int n = 0; n < N; ++n) below[depth][n] = sums[n];
        ++depth;
        for (int n = 0; n < N; ++n) sums[n] = leaf(LeafOf(i), n);
      } else if (kind == kAddLeaf) {
        for (int n = 0; n < N; ++n) sums[n] = sums[n] + leaf(LeafOf(i), n);
      } else if (kind == kAddSum) {
        --depth;
        for (int n = 0; n < N; ++n) sums[n] = below[depth][n] + sums[n];
      } else {
        for (int n = 0; n < N; ++n) sums[n] = RoundToBf16(sums[n]);
      }
    }
  }

 private:
  enum Kind { kPush, kAddLeaf, kAddSum, kRound };
  static constexpr int kKindShift = 14, kLeafMask = (1 << kKindShift) - 1;

  ZEROCTS_INLINE int LeafOf(int step) const { return steps_[step] & kLeafMask; }

  void Emit(const Fold& fold, int depth);
  void Emit(Kind kind, int leaf = 0);

  int count_ = 0;
  uint16_t steps_[kMostSteps];
};

namespace bodies {

/// For a Map, whose `out` may be one of the leaves.
struct FoldLeaves {
  /// Throws std::length_error, as FoldProgram does.
  FoldLeaves(const Fold& fold, std::span<const float* const> leaves, float divisor);

  FoldProgram program;
  const float* leaves[FoldProgram::kMostLeaves];
  float divisor;

  template <int N>
  ZEROCTS_INLINE void Compute(float (&values)[N], const Elements& at) const {
    program.Evaluate(values, [&](int g, int n) { return leaves[g][at[n]]; });
    if (divisor == 1.0f) return;
    for (float& value : values) value /= divisor;
  }
};

}  // namespace bodies

}  // namespace zerocts::engine
