#include "conformance/check/bounded/bounded_losses.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "reference/numerics/bf16.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMostWalked = 20;  // after more updates a bound is too wide to say much, and a step takes a second

bool IsMlp(const Experiment& e) {
  return e.gradients == GradientSource::kModel && std::holds_alternative<MlpSpec>(*e.model);
}

/// A schedule changes no rounding.
bool IsWalked(Experiment e) {
  e.changes.clear();
  return BeyondBoundedTraining(e).empty();
}

Bounded RoundedAs(Precision precision, const Bounded& x) { return precision == Precision::kBf16 ? ToBf16Error(x) : x; }

BoundedTensors InitialParameters(const Experiment& e) {
  BoundedTensors parameters;
  for (int p = 0; p < std::ssize(e.parameters); ++p) {
    parameters.emplace_back();
    for (const float value : InitialValuesOf(e, p)) {
      parameters.back().emplace_back(double{e.precision == Precision::kBf16 ? RoundToBf16(value) : value});
    }
  }
  return parameters;
}

Bounded FirstLoss(const Experiment& e, const TextCorpus& text, int64_t g, const BoundedTensors& parameters) {
  const oracle::Chain chain = ChainOf(e, text, 0, g);
  std::vector<Bounded> values;
  size_t begin = 0;
  for (const auto& [unit, count] : chain.links) {
    const BoundedTensors own(parameters.begin() + static_cast<std::ptrdiff_t>(begin),
                             parameters.begin() + static_cast<std::ptrdiff_t>(begin + count));
    values = std::visit([&](const auto& u) { return u.Forward(own, values); }, unit);
    for (Bounded& value : values) value = RoundedAs(e.precision, value);
    begin += count;
  }
  return RoundedAs(e.precision, Sum(values) / Bounded(static_cast<double>(e.batch)));
}

std::vector<Bounded> FirstLosses(const Experiment& e) {
  const std::shared_ptr<const TextCorpus> text = TextCorpus::SharedFor(e);
  const BoundedTensors parameters = InitialParameters(e);
  std::vector<Bounded> losses;
  for (int64_t g = 0; g < int64_t{e.world_size} * e.micro_batches; ++g) {
    losses.push_back(FirstLoss(e, *text, g, parameters));
  }
  return losses;
}

}  // namespace

struct BoundedLosses::Walk {
  explicit Walk(const Experiment& e) : text(TextCorpus::SharedFor(e)), training(e, *text) {}
  const std::shared_ptr<const TextCorpus> text;
  TrainingWalk<Bounded> training;
};

BoundedLosses::BoundedLosses(const Experiment& experiment) : e_(experiment) {
  if (IsWalked(e_)) walk_ = std::make_unique<Walk>(e_);
}

BoundedLosses::~BoundedLosses() = default;

std::vector<Bounded> BoundedLosses::Step() {
  const int64_t step = step_++;
  if (!walk_) return step == 0 && IsMlp(e_) ? FirstLosses(e_) : std::vector<Bounded>{};
  std::vector<Bounded> losses;
  if (step < kMostWalked) losses = walk_->training.Step(step).losses;
  const bool says_something = std::ranges::all_of(losses, [](const Bounded& loss) { return loss.error < loss.value; });
  if (says_something) return losses;
  step_ = kMostWalked;  // a bound that is as large as the loss grows on
  return {};
}

std::string BoundedLosses::Beyond() const {
  if (!IsMlp(e_)) return "a bound is derived for the model mlp alone";
  return walk_ ? "after more updates a bound is too wide" : "behind an update a bound is derived for sgd in fp32 alone";
}

double ShareOfBound(const Bounded& expected, double got) {
  const double away = std::fabs(got - expected.value);
  if (away == 0.0) return 0.0;
  return std::isnan(away) ? INFINITY : away / expected.error;
}

}  // namespace zerocts
