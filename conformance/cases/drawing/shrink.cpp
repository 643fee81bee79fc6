#include "conformance/cases/drawing/shrink.hpp"

#include <algorithm>
#include <utility>

#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {
namespace {

std::vector<Simplification> InOrder() {
  std::vector<Simplification> all = {
      {Simplicity::kRoles, [](Simplifying& simpler) { simpler.Try([](Case&, Experiment& e) { e.roles = {}; }); }}};
  for (const Dimension& dimension : Dimensions()) {
    all.insert(all.end(), dimension.drawn.simplifications.begin(), dimension.drawn.simplifications.end());
  }
  std::ranges::stable_sort(all, {}, &Simplification::at);
  return all;
}

/// Do those of W, K, R, S and T that are not 1 differ, so that a factor tells which of them it is?
bool TellsNumbersApart(const Case& c) {
  std::vector<int> numbers = {c.data_ranks(), c.experiment.micro_batches, c.tensor};
  if (c.replicas > 1) numbers.insert(numbers.end(), {c.replicas, c.shards()});
  std::erase(numbers, 1);
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

}  // namespace

std::vector<Case> Shrink(const Case& c, int min_world_size) {
  static const std::vector<Simplification> kInOrder = InOrder();
  Simplifying simpler(c, min_world_size);
  for (const Simplification& simplification : kInOrder) simplification.simplify(simpler);
  std::vector<Case> candidates = simpler.Take();
  std::ranges::stable_partition(candidates, TellsNumbersApart);
  return candidates;
}

}  // namespace zerocts
