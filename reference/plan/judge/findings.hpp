// Collects violations: the first of each property in full, the others as a number.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/plan/judge/judge.hpp"

namespace zerocts::plan {

class Findings {
 public:
  explicit Findings(const Plan& plan) : plan_(plan) {}

  /// Says of which state the following are.
  void Judging(State state) { state_ = state; }

  /// `what()` is called for the first violation only: sentences cost more than verdicts.
  template <typename What>
  void Add(Property property, int32_t tensor, int64_t element, std::vector<int> ranks, What what) {
    const int p = static_cast<int>(property);
    ++counts_[p];
    if (firsts_[p]) return;
    firsts_[p] = {property, state_, NameOfTensor(tensor), element, std::move(ranks), what()};
  }

  int64_t Count(Property property) const { return counts_[static_cast<int>(property)]; }
  Verdict Done() &&;

  static constexpr int32_t kNoTensor = -1;

 private:
  std::string NameOfTensor(int32_t tensor) const {
    return tensor >= 0 && tensor < std::ssize(plan_.model) ? plan_.model[tensor].name : "";
  }

  const Plan& plan_;
  State state_ = State::kParameters;
  std::array<int64_t, kProperties> counts_{};
  std::array<std::optional<Violation>, kProperties> firsts_;
};

}  // namespace zerocts::plan
