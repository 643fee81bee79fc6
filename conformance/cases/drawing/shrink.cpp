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

}  // namespace

std::vector<Case> Shrink(const Case& c, int min_world_size) {
  static const std::vector<Simplification> kInOrder = InOrder();
  Simplifying simpler(c, min_world_size);
  for (const Simplification& simplification : kInOrder) simplification.simplify(simpler);
  return simpler.Take();
}

}  // namespace zerocts
