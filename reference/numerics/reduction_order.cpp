#include "reference/numerics/reduction_order.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "reference/numerics/bf16.hpp"

namespace zerocts {
namespace {

float Round(float value, Rounding rounding) { return rounding == Rounding::kBf16 ? RoundToBf16(value) : value; }

float Divided(float value, const Division& division) {
  if (!division.divides()) return value;
  if (division.how == Divide::kQuotient) return value / static_cast<float>(division.by);
  return value * division.reciprocal();
}

float Added(float sum, float addend, const Division& division) {
  return division.is_fused() ? std::fma(addend, division.reciprocal(), sum) : sum + addend;
}

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

/// The balanced tree over a rank's micro-batches.
Fold BalancedMicroBatches(int rank, int micro_batches) {
  return Balanced(rank * micro_batches, (rank + 1) * micro_batches, [](int g) { return Fold::Leaf(g); });
}

/// `over_ranks(contribution)` adds what contribution(rank) gives for every rank; `of_rank(rank)` is what a rank added
/// over its own micro-batches.
template <typename OverRanks, typename OfRank>
Fold Synced(const FoldShape& shape, OverRanks over_ranks, OfRank of_rank) {
  if (shape.sync == GradientSync::kLastMicroBatch) return over_ranks(of_rank);
  std::vector<Fold> sums;
  for (int k = 0; k < shape.micro_batches; ++k) {
    sums.push_back(over_ranks([&](int rank) { return Fold::Leaf(rank * shape.micro_batches + k); }));
  }
  return SumOrOnly(std::move(sums));
}

/// The sum over replicas, one after the other, of `of_group(first rank)`.
template <typename OfGroup>
Fold OverReplicas(const FoldShape& shape, OfGroup of_group) {
  std::vector<Fold> groups;
  for (int replica = 0; replica < shape.replicas; ++replica) groups.push_back(of_group(replica * shape.group_size()));
  return SumOrOnly(std::move(groups));
}

/// What the leaves of a sum have in common; -1 when they differ. With kLastMicroBatch the rank, with kEveryMicroBatch
/// the micro-batch.
int CommonOf(const Fold& fold, int micro_batches, GradientSync sync) {
  if (fold.leaf >= 0)
    return sync == GradientSync::kLastMicroBatch ? fold.leaf / micro_batches : fold.leaf % micro_batches;
  const int common = CommonOf(fold.children.front(), micro_batches, sync);
  for (const Fold& child : fold.children) {
    if (CommonOf(child, micro_batches, sync) != common) return -1;
  }
  return common;
}

Fold Rounded(Rounding rounding, Fold fold) {
  return rounding == Rounding::kFp32 ? std::move(fold) : Fold::Sum({std::move(fold)}, rounding);
}

/// Sums whose leaves have a rank (or a micro-batch) in common are kept in `inner`, the others in `outer`.
Fold SumsIn(Rounding inner, Rounding outer, const Fold& fold, int micro_batches, GradientSync sync) {
  const Rounding rounding = CommonOf(fold, micro_batches, sync) >= 0 ? inner : outer;
  if (fold.leaf >= 0) return Rounded(rounding, fold);
  Fold sum = fold;
  if (rounding != Rounding::kFp32) sum.rounding = rounding;
  for (Fold& child : sum.children) child = Rounded(rounding, SumsIn(inner, outer, child, micro_batches, sync));
  return sum;
}

}  // namespace

Fold RankFold(const FoldShape& shape) {
  const auto over_ranks = [&](auto contribution) {
    return OverReplicas(shape, [&](int first) {
      std::vector<Fold> ranks;
      for (int position = 0; position < shape.group_size(); ++position) ranks.push_back(contribution(first + position));
      return SumOrOnly(std::move(ranks));
    });
  };
  return Synced(shape, over_ranks, [&](int rank) { return MicroBatches(rank, shape.micro_batches); });
}

Fold RingFold(const FoldShape& shape, int position, Rounding wire) {
  const auto over_ranks = [&](auto contribution) {
    return OverReplicas(shape, [&](int first) {
      std::vector<Fold> hops;
      for (int hop = 1; hop <= shape.group_size(); ++hop) {
        // The buffer that travels has the wire type, so what a rank puts in is rounded too.
        hops.push_back(Rounded(wire, contribution(first + (position + hop) % shape.group_size())));
      }
      return hops.size() == 1 ? std::move(hops.front()) : Fold::Sum(std::move(hops), wire);
    });
  };
  return Synced(shape, over_ranks, [&](int rank) { return MicroBatches(rank, shape.micro_batches); });
}

Fold TreeFold(const FoldShape& shape) {
  const int ranks = shape.group_size();
  const auto over_ranks = [&](auto contribution) {
    return Balanced(0, shape.replicas,
                    [&](int replica) { return Balanced(replica * ranks, (replica + 1) * ranks, contribution); });
  };
  return Synced(shape, over_ranks, [&](int rank) { return BalancedMicroBatches(rank, shape.micro_batches); });
}

Fold RankFold(int world_size, int micro_batches) { return RankFold(FoldShape{world_size, micro_batches}); }

Fold RingFold(int world_size, int micro_batches, int owner, Rounding wire) {
  return RingFold(FoldShape{world_size, micro_batches}, owner, wire);
}

Fold TreeFold(int world_size, int micro_batches) { return TreeFold(FoldShape{world_size, micro_batches}); }

Fold SumsKeptIn(Rounding accumulation, Rounding reduction, const Fold& fold, int micro_batches, GradientSync sync) {
  const bool last = sync == GradientSync::kLastMicroBatch;
  const Rounding inner = last ? accumulation : reduction, outer = last ? reduction : accumulation;
  return Rounded(outer, SumsIn(inner, outer, fold, micro_batches, sync));
}

std::optional<Fold> OfPresentLeaves(const Fold& fold, const std::function<bool(int leaf)>& is_present) {
  if (fold.leaf >= 0) return is_present(fold.leaf) ? std::optional(fold) : std::nullopt;
  Fold sum = fold;
  sum.children.clear();
  for (const Fold& child : fold.children) {
    if (auto present = OfPresentLeaves(child, is_present)) sum.children.push_back(std::move(*present));
  }
  if (sum.children.empty()) return std::nullopt;
  const bool adds_nothing = sum.children.size() == 1 && sum.rounding == Rounding::kFp32 && !sum.division.divides();
  return adds_nothing ? std::move(sum.children.front()) : std::move(sum);
}

float Evaluate(const Fold& fold, std::span<const float> leaves) {
  if (fold.leaf >= 0) return leaves[fold.leaf];
  const bool fused = fold.division.is_fused();
  const float first = Evaluate(fold.children.front(), leaves);
  float sum = Round(fused ? Divided(first, fold.division) : first, fold.rounding);
  for (size_t i = 1; i < fold.children.size(); ++i) {
    sum = Round(Added(sum, Evaluate(fold.children[i], leaves), fold.division), fold.rounding);
  }
  return fused ? sum : Round(Divided(sum, fold.division), fold.rounding);
}

int DividedBy(const Fold& fold) {
  if (fold.leaf >= 0) return 1;
  const int inside = DividedBy(fold.children.front());
  for (const Fold& child : fold.children) {
    if (DividedBy(child) != inside) {
      throw std::invalid_argument("fold " + ToString(fold) + ": expected all leaves to be divided by the same");
    }
  }
  return inside * fold.division.by;
}

float DivisorOfMean(const Fold& fold, int64_t leaves) {
  return static_cast<float>(leaves) / static_cast<float>(DividedBy(fold));
}

std::string ToString(const Fold& fold) {
  if (fold.leaf >= 0) return std::to_string(fold.leaf);
  const std::string rounding = fold.rounding == Rounding::kBf16 ? "~bf16" : "";
  const std::string by = std::to_string(fold.division.by);
  std::string sum = ToString(fold.children.front());
  if (fold.division.is_fused()) {
    sum += "*(1/" + by + ")" + rounding;
    for (size_t i = 1; i < fold.children.size(); ++i)
      sum = "fma(" + ToString(fold.children[i]) + ", 1/" + by + ", " + sum + ")" + rounding;
    return sum;
  }
  if (fold.children.size() == 1) sum += rounding;
  for (size_t i = 1; i < fold.children.size(); ++i) sum = "(" + sum + "+" + ToString(fold.children[i]) + ")" + rounding;
  if (fold.division.by == 1) return sum;
  return sum + (fold.division.how == Divide::kReciprocal ? "*(1/" + by + ")" : "/" + by) + rounding;
}

}  // namespace zerocts
