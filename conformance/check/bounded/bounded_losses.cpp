#include "conformance/check/bounded/bounded_losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/check/bounded/forward_error.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMostWalked = 20;  // after more updates a bound is too wide to say much, and a step takes a second

/// Before an update. Doubled, for what is not of first order.
std::vector<Bounded> FirstLosses(const Experiment& e) {
  const std::shared_ptr<const TextCorpus> text = TextCorpus::SharedFor(e);
  const TrainingWalk<double> walk(e, *text);
  const auto parameters = oracle::ChainParameters(*e.model, walk.Parameters(e.precision));
  std::vector<Bounded> bounds;
  for (int64_t g = 0; g < walk.MicroBatches(); ++g) {
    const oracle::Chain chain = ChainOf(e, *text, 0, g);
    const std::vector<double> losses = chain.Forward(parameters, {});
    const std::vector<double> share(losses.size(), 1.0 / static_cast<double>(losses.size()));
    bounds.push_back(MeanLoss(e, std::vector<Bounded>(losses.begin(), losses.end())));
    bounds.back().error += 2 * ForwardError(chain, parameters, {}, share);
  }
  return bounds;
}

bool SaysSomething(const std::vector<Bounded>& losses) {
  return std::ranges::all_of(losses, [](const Bounded& loss) { return loss.error < loss.value; });
}

}  // namespace

struct BoundedLosses::Walk {
  explicit Walk(const Experiment& e) : text(TextCorpus::SharedFor(e)), training(e, *text) {}
  const std::shared_ptr<const TextCorpus> text;
  TrainingWalk<Bounded> training;
};

BoundedLosses::BoundedLosses(const Experiment& experiment) : e_(experiment), beyond_(BeyondBounds(e_)) {
  if (beyond_.empty() && BeyondWalk(e_).empty()) walk_ = std::make_unique<Walk>(e_);
}

BoundedLosses::~BoundedLosses() = default;

std::vector<Bounded> BoundedLosses::Step() {
  if (!beyond_.empty()) return {};
  std::vector<Bounded> losses = walk_ ? walk_->training.Step(step_++).losses : FirstLosses(e_);
  if (!walk_) {
    beyond_ = "for a bound behind an update: " + BeyondWalk(e_);
  } else if (step_ == kMostWalked || !SaysSomething(losses)) {
    beyond_ = "after more updates a bound is too wide";
  }
  return SaysSomething(losses) ? losses : std::vector<Bounded>{};
}

double ShareOfBound(const Bounded& expected, double got) {
  const double away = std::fabs(got - expected.value);
  if (away == 0.0) return 0.0;
  return std::isnan(away) ? INFINITY : away / expected.error;
}

}  // namespace zerocts
