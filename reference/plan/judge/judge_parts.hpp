// The judges of the parts of a plan, one per file.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/flat_range.hpp"

namespace zerocts::plan {

/// Collects violations: the first of each property in full, the others as a number.
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

/// A sharding, with what its judges ask all the time.
struct Judged {
  const Plan& plan;
  const Sharding& sharding;
  Group group;
};

/// Every tensor that has the state is in exactly one division, every other name in none.
void JudgeTensors(const Judged& judged, std::span<const State> states, Findings& findings);
/// Tensors of a flat buffer lie inside, apart, and where the plan promises. False: its cut cannot be judged.
bool JudgeOffsets(const Judged& judged, const FlatRange& flat_range, Findings& findings);
/// Even, Ceil, Rows, Owners and BlockCyclic, in closed form.
void JudgeRule(const Judged& judged, const Division& division, const FlatRange& flat_range, Findings& findings);
/// Lists of intervals.
void JudgeIntervals(const Judged& judged, const FlatRange& flat_range, std::span<const Interval> intervals,
                    Findings& findings);
void JudgeAffine(const Judged& judged, const FlatRange& flat_range, const Affine& affine, Findings& findings);
/// Ranks that divide by a rule of their own.
void JudgeExceptions(const Judged& judged, const Division& division, const FlatRange& flat_range, Findings& findings);
void JudgeBalance(const Judged& judged, Findings& findings);
/// P4, between the three states.
void JudgeStates(const Plan& plan, Findings& findings);

/// The first element of a tensor in [begin, end) of the flat range: its tensor by its index in the flat range, and the
/// position. False: there is only padding. Needs an ascending flat range.
bool FirstElementIn(const FlatRange& flat_range, int64_t begin, int64_t end, size_t& index, int64_t& position);

}  // namespace zerocts::plan
