// In which order the W * K micro-batch gradients are added: a value that the reference just evaluates.
// It knows elements and ranks, no shards; who builds it from a subject's layout is conformance/check.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zerocts {

enum class Rounding { kFp32, kBf16 };  // where one addition is rounded to

/// How a sum becomes a part of the mean before all is added. kFusedReciprocal is NCCL's AVG in fp32: each addend is
/// multiplied by the rounded reciprocal as it is added, product and sum in one rounding; of the first one the product
/// is rounded.
enum class Divide { kQuotient, kReciprocal, kFusedReciprocal };
struct Division {
  int by = 1;
  Divide how = Divide::kQuotient;
  friend bool operator==(const Division&, const Division&) = default;
  bool divides() const { return by != 1; }
  bool is_fused() const { return divides() && how == Divide::kFusedReciprocal; }
  float reciprocal() const { return 1.0f / static_cast<float>(by); }
};

/// A nested expression over leaves. A leaf is one micro-batch gradient g = rank * K + k; a sum adds its children from
/// left to right, each partial sum (the first child alone included) rounded to `rounding`, and is then divided, rounded
/// so too. A sum has at least one child.
struct Fold {
  int leaf = -1;  // >= 0: a leaf; children is empty
  Rounding rounding = Rounding::kFp32;
  std::vector<Fold> children;
  Division division = {};  // of a sum

  static Fold Leaf(int g) { return Fold{g, Rounding::kFp32, {}}; }
  static Fold Sum(std::vector<Fold> children, Rounding rounding = Rounding::kFp32) {
    return Fold{-1, rounding, std::move(children)};
  }
  static Fold Quotient(Fold dividend, Division division) {
    return Fold{-1, Rounding::kFp32, {std::move(dividend)}, division};
  }
  friend bool operator==(const Fold&, const Fold&) = default;
};

/// By what a fold divides each of its leaves in all. Throws std::invalid_argument when it does not treat them alike.
int DividedBy(const Fold& fold);
/// By what the fold's value is still to be divided to give the mean of `leaves` micro-batches. Throws as DividedBy.
float DivisorOfMean(const Fold& fold, int64_t leaves);

/// The same additions of those leaves alone that are there: an absent one is no addend, which is another thing than a
/// zero. None when no leaf is.
std::optional<Fold> OfPresentLeaves(const Fold& fold, const std::function<bool(int leaf)>& is_present);

/// Elements [begin, end) of the concatenation of all parameters in registration order are added as `fold` says.
struct OrderedRange {
  int64_t begin = 0, end = 0;
  Fold fold;
};

/// When gradients are added over ranks: kLastMicroBatch, once per step, after each rank added its K micro-batches;
/// kEveryMicroBatch, after every micro-batch, and the K sums are added up, k = 0, 1, ..
enum class GradientSync { kLastMicroBatch, kEveryMicroBatch };

/// Ranges tile [0, total numel) in ascending order.
struct ReductionOrder {
  std::vector<OrderedRange> ranges;
  /// As the folds are; it says where sums of a given type are rounded.
  GradientSync sync = GradientSync::kLastMicroBatch;
};

/// Who adds what: W ranks, K micro-batches each. On a mesh of R replicas, rank = replica * (W / R) + position; ranks
/// are added in each sharding group (W / R ranks of one replica) as the rule says, then the R sums.
struct FoldShape {
  int world_size = 1, micro_batches = 1;
  int replicas = 1;  // divides world_size
  GradientSync sync = GradientSync::kLastMicroBatch;
  int group_size() const { return world_size / replicas; }
};

// The named rules. With kLastMicroBatch a rank's K micro-batches are added first, in fp32; `rank` and `ring` in the
// order k = 0, 1, .. The sums of the replicas are added in the order of the replicas, in `tree` as a balanced tree.

Fold RankFold(const FoldShape& shape);
/// `position`: of the owner in its sharding group.
Fold RingFold(const FoldShape& shape, int position, Rounding wire = Rounding::kFp32);
Fold TreeFold(const FoldShape& shape);

// The same for one sharding group and kLastMicroBatch.

/// `rank`: ranks 0, 1, .., W-1.
Fold RankFold(int world_size, int micro_batches);

/// `ring`: the shard of rank d adds ranks d+1, d+2, .., d (mod W), rounded to `wire` at every hop. What each rank puts
/// in is rounded to `wire` too, because the buffer that travels has that type.
Fold RingFold(int world_size, int micro_batches, int owner, Rounding wire = Rounding::kFp32);

/// `tree`: a balanced tree over ranks of balanced trees over each rank's micro-batches, both split at the largest power
/// of two below the count. When K is a power of two that is one balanced tree over g in [0, W*K): the same total batch
/// gives the same bits for every such W.
Fold TreeFold(int world_size, int micro_batches);

/// The same additions, with sums kept in given types. A bf16 sum rounds what it begins with, every addend and every
/// addition. Roundings that `fold` has stay.
///   kLastMicroBatch   what a rank adds over its K micro-batches (even a single one) in `accumulation`, what is
///                     added over ranks, and the result, in `reduction`
///   kEveryMicroBatch  what is added over ranks of one micro-batch (even of a single rank) in `reduction`, what is
///                     added over micro-batches, and the result, in `accumulation`
Fold SumsKeptIn(Rounding accumulation, Rounding reduction, const Fold& fold, int micro_batches,
                GradientSync sync = GradientSync::kLastMicroBatch);

/// One element: leaves[g] is the g-th micro-batch's value.
float Evaluate(const Fold& fold, std::span<const float> leaves);

/// "((0+1)+2)", one pair of parentheses per addition, "~bf16" after each value that is rounded to bf16, "/3" or
/// "*(1/3)" after what is divided, "fma(1, 1/3, 0*(1/3))" where products are fused.
std::string ToString(const Fold& fold);

}  // namespace zerocts
