#include "conformance/check/cause/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/case/reshard.hpp"
#include "conformance/check/cause/mistakes.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/observation/records.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMostWork = 1 << 14;  // elements x micro-batches x steps of a case that mistakes are tried on
constexpr uint64_t kLastPlaces = 4;
constexpr float kFarNearer = 16;

Case With(const Experiment& experiment, Case c) {
  c.experiment = experiment;
  return c;
}

/// A subject whose order nobody knows is compared with the order of ranks: mistakes are larger than last places. None:
/// mistakes cannot be tried here, or what ranks own has no order of the declared name.
std::optional<ReductionOrder> OrderFor(Case c, const std::vector<RankObservation>& ranks) {
  if (ranks.empty() || !MistakesCanBeTried(c) || CheckWellFormed(c, ranks)) return std::nullopt;
  if (c.reduction_order == "any" || c.reduction_order == "probed") c.reduction_order = "rank";
  std::vector<std::vector<std::vector<Interval>>> owned;
  for (const RankObservation& rank : ranks) owned.push_back(rank.owned);
  try {
    return OrderOf(c, owned);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

bool SameBits(float a, float b) { return CanonicalBits(a) == CanonicalBits(b); }
bool Near(float a, float b) { return SameBits(a, b) || UlpDistance(a, b) <= kLastPlaces; }

bool Explains(float right, float mistaken, float got) {
  if (Near(right, got)) return Near(mistaken, got);
  return SameBits(mistaken, got) || kFarNearer * std::fabs(got - mistaken) <= std::fabs(got - right);
}

/// What was shown, beside what the reference has for it.
class Beside {
 public:
  Beside(const Case& c, const std::vector<RankObservation>& ranks, const Expected& right)
      : e_(c.experiment), ranks_(ranks), expected_(right), right_(c.experiment, right) {}

  bool IsFarOff() const {
    bool far = false;
    ForEach([&](const TensorRecord& record, size_t i) { far |= !Near(At(right_, record, i), record.values[i]); });
    return far;
  }

  enum class Fit { kNone, kFarNearer, kToLastPlaces };

  Fit FitOf(const Expected& mistaken) const {
    const ExpectedTensors tensors(e_, mistaken);
    bool all = true, exact = true;
    ForEach([&](const TensorRecord& record, size_t i) {
      all = all && Explains(At(right_, record, i), At(tensors, record, i), record.values[i]);
      exact = exact && Near(At(tensors, record, i), record.values[i]);
    });
    const auto explains = [&](const RankObservation& rank) { return ExplainsNorms(rank, mistaken); };
    if (!all || !std::ranges::all_of(ranks_, explains)) return Fit::kNone;
    return exact ? Fit::kToLastPlaces : Fit::kFarNearer;
  }

  /// The parameters that the first wrong step shows: is each wrong?
  std::map<int, bool> WrongParameters() const {
    int64_t first = e_.steps;
    ForEach([&](const TensorRecord& record, size_t i) {
      if (!Near(At(right_, record, i), record.values[i])) first = std::min(first, record.step);
    });
    std::map<int, bool> wrong;
    ForEach([&](const TensorRecord& record, size_t i) {
      if (record.step == first) wrong[record.parameter] |= !Near(At(right_, record, i), record.values[i]);
    });
    return wrong;
  }

 private:
  static float At(const ExpectedTensors& tensors, const TensorRecord& record, size_t i) {
    const std::span<const float> whole = tensors.Of(record.what, record.step, record.parameter);
    const size_t element = static_cast<size_t>(record.interval.begin) + i;
    return element < whole.size() ? whole[element] : NAN;
  }

  template <typename Use>
  void ForEach(Use use) const {
    for (const RankObservation& rank : ranks_) {
      for (const TensorRecord& record : rank.tensors) {
        for (size_t i = 0; i < record.values.size(); ++i) use(record, i);
      }
    }
  }

  bool ExplainsNorms(const RankObservation& rank, const Expected& mistaken) const {
    if (e_.max_norm == 0) return true;
    return std::ranges::all_of(rank.scalars, [&](const StepScalars& got) {
      const auto step = static_cast<size_t>(got.step);
      return std::isnan(got.grad_norm) ||
             Explains(expected_.steps[step].grad_norm, mistaken.steps[step].grad_norm, got.grad_norm);
    });
  }

  const Experiment& e_;
  const std::vector<RankObservation>& ranks_;
  const Expected& expected_;
  const ExpectedTensors right_;
};

std::vector<float> CoefficientsOf(const Expected& expected) {
  std::vector<float> coefficients;
  for (const StepTrace& step : expected.steps) coefficients.push_back(step.clip_coefficient);
  return coefficients;
}

Beside::Fit FitOf(const Case& c, const Beside& shown, const Mistake& mistake) {
  try {
    return shown.FitOf(ExpectedOf(With(mistake.experiment, c), mistake.order));
  } catch (const std::invalid_argument&) {  // it cannot be made in this case
    return Beside::Fit::kNone;
  }
}

}  // namespace

bool MistakesCanBeTried(const Case& c) {
  const Experiment& e = c.experiment;
  const int64_t work = TotalNumel(e) * e.world_size * e.micro_batches * e.steps;
  return e.gradients != GradientSource::kModel && e.experts.count == 1 && c.tensor == 1 && !IsResharded(c) &&
         !LoadsOnly(c) && work <= kMostWork;
}

std::vector<std::string> CausesOf(const Case& c, const std::vector<RankObservation>& ranks) {
  const std::optional<ReductionOrder> order = OrderFor(c, ranks);
  if (!order) return {};
  const Expected right = ExpectedOf(c, *order);
  const Beside shown(c, ranks, right);
  if (!shown.IsFarOff()) return {};
  std::vector<Mistake> mistakes = MistakesOfSettings(c.experiment, *order, CoefficientsOf(right));
  std::ranges::move(MistakesOfSums(c, ranks, *order), std::back_inserter(mistakes));
  std::vector<std::string> near, exact;
  for (const Mistake& mistake : mistakes) {
    const Beside::Fit fit = FitOf(c, shown, mistake);
    if (fit == Beside::Fit::kNone) continue;
    std::vector<std::string>& causes = fit == Beside::Fit::kFarNearer ? near : exact;
    if (!Contains(causes, mistake.text)) causes.push_back(mistake.text);
  }
  return exact.empty() ? near : exact;
}

std::string WrongAndRight(const Case& c, const std::vector<RankObservation>& ranks) {
  const std::optional<ReductionOrder> order = OrderFor(c, ranks);
  if (!order) return "";
  const Expected right = ExpectedOf(c, *order);
  std::vector<std::string> wrong_names, right_names;
  for (const auto& [parameter, is_wrong] : Beside(c, ranks, right).WrongParameters())
    (is_wrong ? wrong_names : right_names).push_back(c.experiment.parameters[parameter].name);
  if (wrong_names.empty() || right_names.empty()) return "";
  return fmt::format("{} {} wrong; right {} {}", fmt::join(wrong_names, ", "), wrong_names.size() > 1 ? "are" : "is",
                     right_names.size() > 1 ? "are" : "is", fmt::join(right_names, ", "));
}

}  // namespace zerocts
