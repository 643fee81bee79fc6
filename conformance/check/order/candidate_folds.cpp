#include "conformance/check/order/candidate_folds.hpp"

#include <algorithm>

#include "conformance/cases/inputs/exact_mean.hpp"

namespace zerocts {
namespace {

constexpr int kMostRanksInAnyTree = 4;  // 15 trees; of five ranks there are 105

/// A tree over items with other folds in place of its leaves.
template <typename InPlaceOf>
Fold Substituted(const Fold& tree, InPlaceOf in_place_of) {
  if (tree.leaf >= 0) return in_place_of(tree.leaf);
  Fold sum = tree;
  for (Fold& child : sum.children) child = Substituted(child, in_place_of);
  return sum;
}

/// Every binary tree over the items, of two that differ by the order of addends one.
std::vector<Fold> AllTrees(const std::vector<int>& items) {
  if (items.size() == 1) return {Fold::Leaf(items.front())};
  std::vector<Fold> trees;
  const unsigned everything = (1u << (items.size() - 1)) - 1;
  for (unsigned with_first = 0; with_first < everything; ++with_first) {
    std::vector<int> left = {items.front()}, right;
    for (size_t i = 1; i < items.size(); ++i) (with_first >> (i - 1) & 1 ? left : right).push_back(items[i]);
    for (const Fold& a : AllTrees(left)) {
      for (const Fold& b : AllTrees(right)) trees.push_back(Fold::Sum({a, b}));
    }
  }
  return trees;
}

Fold Chain(int count, int start, int direction) {
  std::vector<Fold> items;
  for (int i = 0; i < count; ++i) items.push_back(Fold::Leaf((start + direction * i + count) % count));
  return Fold::Sum(std::move(items));
}

std::vector<Fold> OrdersOver(int count) {
  std::vector<int> items;
  for (int i = 0; i < count; ++i) items.push_back(i);
  if (count <= kMostRanksInAnyTree) return AllTrees(items);
  std::vector<Fold> orders = {TreeFold(count, 1)};
  for (int start = 0; start < count; ++start) {
    for (const int direction : {1, -1}) orders.push_back(Chain(count, start, direction));
  }
  return orders;
}

/// Trees whose leaves are ranks.
std::vector<Fold> OrdersOverRanks(const FoldShape& shape) {
  if (shape.world_size <= kMostRanksInAnyTree) return OrdersOver(shape.world_size);
  std::vector<Fold> orders;
  for (const Fold& over_replicas : OrdersOver(shape.replicas)) {
    for (const Fold& over_group : OrdersOver(shape.group_size())) {
      orders.push_back(Substituted(over_replicas, [&](int replica) {
        return Substituted(over_group,
                           [&](int position) { return Fold::Leaf(replica * shape.group_size() + position); });
      }));
    }
  }
  return orders;
}

/// Up to four items in any order, more from any item on, up or down.
std::vector<Fold> ChainsOver(int count) {
  std::vector<int> items;
  for (int i = 0; i < count; ++i) items.push_back(i);
  std::vector<Fold> chains;
  if (count <= kMostRanksInAnyTree) {
    do {
      Fold& chain = chains.emplace_back(Fold::Sum({}));
      for (const int item : items) chain.children.push_back(Fold::Leaf(item));
    } while (std::ranges::next_permutation(items).found);
    return chains;
  }
  for (int start = 0; start < count; ++start) {
    for (const int direction : {1, -1}) chains.push_back(Chain(count, start, direction));
  }
  return chains;
}

enum class Divides { kSum, kAddends };

struct Averaging {
  Divides divides;
  Division division;
};

/// A power of two divides exactly, wherever it does.
std::vector<Averaging> AveragingsOver(int world_size) {
  if (DividesExactly(world_size)) return {{Divides::kSum, {}}};
  std::vector<Averaging> averagings;
  for (const Divides divides : {Divides::kSum, Divides::kAddends}) {
    for (const Divide how : {Divide::kQuotient, Divide::kReciprocal})
      averagings.push_back({divides, {world_size, how}});
  }
  return averagings;
}

Fold DividedAt(Divides position, const Averaging& averaging, Fold fold) {
  if (averaging.divides != position || averaging.division.by == 1) return fold;
  return Fold::Quotient(std::move(fold), averaging.division);
}

/// One reduction over ranks, in which `addend(rank)` is what a rank puts in.
template <typename Addend>
Fold Reduced(const Fold& order, const Averaging& averaging, Addend addend) {
  return DividedAt(Divides::kSum, averaging,
                   Substituted(order, [&](int rank) { return DividedAt(Divides::kAddends, averaging, addend(rank)); }));
}

Fold FoldOf(const FoldShape& shape, const Fold& order, const Averaging& averaging) {
  const auto micro_batches = [&](auto of) {  // k = 0, 1, ..
    std::vector<Fold> terms;
    for (int k = 0; k < shape.micro_batches; ++k) terms.push_back(of(k));
    return terms.size() == 1 ? terms.front() : Fold::Sum(std::move(terms));
  };
  const auto leaf = [&](int rank, int k) { return Fold::Leaf(rank * shape.micro_batches + k); };
  if (shape.sync == GradientSync::kLastMicroBatch) {
    return Reduced(order, averaging, [&](int rank) { return micro_batches([&](int k) { return leaf(rank, k); }); });
  }
  return micro_batches([&](int k) { return Reduced(order, averaging, [&](int rank) { return leaf(rank, k); }); });
}

}  // namespace

std::vector<Fold> CandidateFolds(const FoldShape& shape) {
  std::vector<Fold> candidates;
  for (const Averaging& averaging : AveragingsOver(shape.world_size)) {
    for (const Fold& order : OrdersOverRanks(shape)) candidates.push_back(FoldOf(shape, order, averaging));
  }
  if (DividesExactly(shape.world_size) || shape.replicas > 1) return candidates;
  for (Fold chain : ChainsOver(shape.world_size)) {
    chain.division = {shape.world_size, Divide::kFusedReciprocal};
    candidates.push_back(FoldOf(shape, chain, {Divides::kSum, {}}));
  }
  return candidates;
}

}  // namespace zerocts
