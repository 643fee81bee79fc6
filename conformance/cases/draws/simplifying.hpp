// The simpler cases of a case, while they are collected.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/hyper_parameters.hpp"

namespace zerocts {

class Simplifying {
 public:
  Simplifying(const Case& c, int min_world_size) : c(c), e(c.experiment), min_world_size(min_world_size) {}

  /// Keeps the case that `change` makes of a copy, if it is another and makes sense. Exact inputs stay exact: the case
  /// may leave the order to the subject.
  template <typename Change>
  void Try(Change change) {
    Case candidate = c;
    change(candidate, candidate.experiment);
    Keep(std::move(candidate));
  }

  /// Without all items of a list, then without one of them. `list` is a path from the experiment.
  template <typename List>
  void TryFewer(List list) {
    Try([&](Case&, Experiment& changed) { list(changed).clear(); });
    const size_t count = list(e).size();
    for (size_t i = 0; count > 1 && i < count; ++i) {
      Try([&](Case&, Experiment& changed) { list(changed).erase(list(changed).begin() + static_cast<int64_t>(i)); });
    }
  }

  /// `change` applied to the hyper-parameters of every group at every step.
  template <typename Change>
  void TryHyperParameters(Change change) {
    Try([&](Case&, Experiment& changed) { ForEachHyperParameters(changed, change); });
  }

  /// Smaller values of a number, the smallest first.
  static std::vector<int64_t> Below(int64_t value, int64_t smallest);

  std::vector<Case> Take() { return std::move(candidates_); }

  const Case& c;
  const Experiment& e;
  const int min_world_size;

 private:
  void Keep(Case candidate);

  std::vector<Case> candidates_;
};

}  // namespace zerocts
