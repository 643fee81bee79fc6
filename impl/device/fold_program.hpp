// A fold over ranks as a short program, so that it fits into the arguments of a kernel.
#pragma once
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

  /// leaf(g): the value of leaf g.
  template <typename Leaf>
  ZEROCTS_INLINE float Evaluate(const Leaf& leaf) const {
    float sum = 0.0f, below[kDeepest];  // `sum` is the top of the stack
    int depth = 0;
    for (int i = 0; i < count_; ++i) {
      const int kind = steps_[i] >> kKindShift, g = steps_[i] & kLeafMask;
      if (kind == kPush) {
        below[depth++] = sum;
        sum = leaf(g);
      } else if (kind == kAddLeaf) {
        sum = sum + leaf(g);
      } else if (kind == kAddSum) {
        sum = below[--depth] + sum;
      } else {
        sum = RoundToBf16(sum);
      }
    }
    return sum;
  }

 private:
  enum Kind { kPush, kAddLeaf, kAddSum, kRound };
  static constexpr int kKindShift = 14, kLeafMask = (1 << kKindShift) - 1;

  void Emit(const Fold& fold, int depth);
  void Emit(Kind kind, int leaf = 0);

  int count_ = 0;
  uint16_t steps_[kMostSteps];
};

namespace bodies {

/// out may be one of the leaves.
struct FoldLeaves {
  /// Throws std::length_error, as FoldProgram does.
  FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor);

  FoldProgram program;
  const float* leaves[FoldProgram::kMostLeaves];
  float* out;
  float divisor;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    const float sum = program.Evaluate([&](int g) { return leaves[g][i]; });
    out[i] = divisor != 1.0f ? sum / divisor : sum;
  }
};

}  // namespace bodies

}  // namespace zerocts::engine
