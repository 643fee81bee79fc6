// In which order the W * K micro-batch gradients are added: a value that the reference just evaluates.
// It knows elements and ranks, no shards; who builds it from a subject's layout is conformance/check.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zerocts {

enum class Rounding { kFp32, kBf16 };  // where one addition is rounded to

/// A nested expression over leaves. A leaf is one micro-batch gradient g = rank * K + k; a sum adds its children from left to right,
/// each addition rounded to `rounding`.
struct Fold {
  int leaf = -1;  // >= 0: a leaf; children is empty
  Rounding rounding = Rounding::kFp32;
  std::vector<Fold> children;

  static Fold Leaf(int g) { return Fold{g, Rounding::kFp32, {}}; }
  static Fold Sum(std::vector<Fold> children, Rounding rounding = Rounding::kFp32) { return Fold{-1, rounding, std::move(children)}; }
  friend bool operator==(const Fold&, const Fold&) = default;
};

/// Elements [begin, end) of the concatenation of all parameters in registration order are added as `fold` says.
struct OrderedRange {
  int64_t begin = 0, end = 0;
  Fold fold;
};

/// Ranges tile [0, total numel) in ascending order.
struct ReductionOrder {
  std::vector<OrderedRange> ranges;
};

/// Which leaves: W ranks, K micro-batches each. Every rule adds a rank's K micro-batches first, k = 0, 1, .., in fp32.
/// `rank`: ranks 0, 1, .., W-1.
Fold RankFold(int world_size, int micro_batches);
/// `ring`: the shard of rank d adds ranks d+1, d+2, .., d (mod W), rounded to `wire` at every hop.
Fold RingFold(int world_size, int micro_batches, int owner, Rounding wire = Rounding::kFp32);
/// `tree`: one balanced tree over g in [0, W*K), split at the largest power of two below the count; the same total batch gives the same
/// bits for every W that divides it when K is a power of two.
Fold TreeFold(int world_size, int micro_batches);

/// One element: leaves[g] is the g-th micro-batch's value.
float Evaluate(const Fold& fold, std::span<const float> leaves);

/// "((0+1)+2)", with "~bf16" after a sum that is rounded to bf16.
std::string ToString(const Fold& fold);

}  // namespace zerocts
