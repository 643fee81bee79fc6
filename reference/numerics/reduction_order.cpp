#include "reference/numerics/reduction_order.hpp"

#include <bit>

#include "reference/numerics/bf16.hpp"

namespace zerocts {
namespace {

float Round(float value, Rounding rounding) { return rounding == Rounding::kBf16 ? RoundToBf16(value) : value; }

Fold SumOrOnly(std::vector<Fold> children) {
  return children.size() == 1 ? std::move(children.front()) : Fold::Sum(std::move(children));
}

/// The micro-batches of one rank, k = 0, 1, ..
Fold MicroBatches(int rank, int micro_batches) {
  std::vector<Fold> leaves;
  for (int k = 0; k < micro_batches; ++k) leaves.push_back(Fold::Leaf(rank * micro_batches + k));
  return SumOrOnly(std::move(leaves));
}

/// The balanced tree over `item(i)`, i in [begin, end): the left half is the largest power of two below the count.
template <typename Item>
Fold Balanced(int begin, int end, Item item) {
  const auto count = static_cast<unsigned>(end - begin);
  if (count == 1) return item(begin);
  const int middle = begin + static_cast<int>(std::bit_ceil(count) / 2);
  return Fold::Sum({Balanced(begin, middle, item), Balanced(middle, end, item)});
}

/// The rank of all leaves, -1 when they are of several.
int RankOf(const Fold& fold, int micro_batches) {
  if (fold.leaf >= 0) return fold.leaf / micro_batches;
  const int rank = RankOf(fold.children.front(), micro_batches);
  for (const Fold& child : fold.children) {
    if (RankOf(child, micro_batches) != rank) return -1;
  }
  return rank;
}

Fold Rounded(Rounding rounding, Fold fold) {
  return rounding == Rounding::kFp32 ? std::move(fold) : Fold::Sum({std::move(fold)}, rounding);
}

Fold SumsIn(Rounding accumulation, Rounding reduction, const Fold& fold, int micro_batches) {
  const Rounding rounding = RankOf(fold, micro_batches) >= 0 ? accumulation : reduction;
  if (fold.leaf >= 0) return Rounded(rounding, fold);
  Fold sum = fold;
  if (rounding != Rounding::kFp32) sum.rounding = rounding;
  for (Fold& child : sum.children) {
    child = Rounded(rounding, SumsIn(accumulation, reduction, child, micro_batches));
  }
  return sum;
}

}  // namespace

Fold RankFold(int world_size, int micro_batches) {
  std::vector<Fold> ranks;
  for (int rank = 0; rank < world_size; ++rank) ranks.push_back(MicroBatches(rank, micro_batches));
  return SumOrOnly(std::move(ranks));
}

Fold RingFold(int world_size, int micro_batches, int owner, Rounding wire) {
  std::vector<Fold> hops;
  for (int hop = 1; hop <= world_size; ++hop) {
    Fold contribution = MicroBatches((owner + hop) % world_size, micro_batches);
    // The buffer that travels has the wire type, so what a rank puts in is rounded too.
    if (wire != Rounding::kFp32) contribution = Fold::Sum({std::move(contribution)}, wire);
    hops.push_back(std::move(contribution));
  }
  return hops.size() == 1 ? std::move(hops.front()) : Fold::Sum(std::move(hops), wire);
}

Fold TreeFold(int world_size, int micro_batches) {
  return Balanced(0, world_size, [=](int rank) {
    return Balanced(rank * micro_batches, (rank + 1) * micro_batches, [](int g) { return Fold::Leaf(g); });
  });
}

Fold SumsKeptIn(Rounding accumulation, Rounding reduction, const Fold& fold, int micro_batches) {
  return Rounded(reduction, SumsIn(accumulation, reduction, fold, micro_batches));
}

float Evaluate(const Fold& fold, std::span<const float> leaves) {
  if (fold.leaf >= 0) return leaves[fold.leaf];
  float sum = Round(Evaluate(fold.children.front(), leaves), fold.rounding);
  for (size_t i = 1; i < fold.children.size(); ++i) {
    sum = Round(sum + Evaluate(fold.children[i], leaves), fold.rounding);
  }
  return sum;
}

std::string ToString(const Fold& fold) {
  if (fold.leaf >= 0) return std::to_string(fold.leaf);
  const std::string rounding = fold.rounding == Rounding::kBf16 ? "~bf16" : "";
  std::string sum = ToString(fold.children.front());
  if (fold.children.size() == 1) return sum + rounding;
  for (size_t i = 1; i < fold.children.size(); ++i) sum = "(" + sum + "+" + ToString(fold.children[i]) + ")" + rounding;
  return sum;
}

}  // namespace zerocts
