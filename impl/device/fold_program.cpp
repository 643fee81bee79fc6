#include "impl/device/fold_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace zerocts::engine {

FoldProgram::FoldProgram(const Fold& fold) { Emit(fold, 0); }

/// Leaves the fold's sum on top of `depth` + 1 values.
void FoldProgram::Emit(const Fold& fold, int depth) {
  if (depth == kDeepest) throw std::length_error(fmt::format("a fold is nested deeper than {} sums", kDeepest));
  if (fold.leaf >= 0) {
    Emit(kPush, fold.leaf);
    return;
  }
  if (fold.division.by != 1)
    throw std::invalid_argument("fold " + ToString(fold) + ": a device divides after all is added");
  const auto round = [&] {
    if (fold.rounding == Rounding::kBf16) Emit(kRound);
  };
  Emit(fold.children.front(), depth);
  round();
  for (size_t i = 1; i < fold.children.size(); ++i) {
    const Fold& child = fold.children[i];
    if (child.leaf >= 0) {
      Emit(kAddLeaf, child.leaf);
    } else {
      Emit(child, depth + 1);
      Emit(kAddSum);
    }
    round();
  }
}

void FoldProgram::Emit(Kind kind, int leaf) {
  if (count_ == kMostSteps || leaf >= kMostLeaves) {
    throw std::length_error(fmt::format("a fold of leaf {} in step {}: a device folds at most {} leaves in {} steps",
                                        leaf, count_, kMostLeaves, kMostSteps));
  }
  steps_[count_++] = static_cast<uint16_t>(kind << kKindShift | leaf);
}

bodies::FoldLeaves::FoldLeaves(const Fold& fold, std::span<const float* const> leaves, float divisor)
    : program(fold), leaves{}, divisor(divisor) {
  const auto used = std::min<size_t>(leaves.size(), FoldProgram::kMostLeaves);  // the program uses none beyond
  std::copy_n(leaves.begin(), used, this->leaves);
}

}  // namespace zerocts::engine
