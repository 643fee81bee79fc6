#include "conformance/session/property/random_cases.hpp"

#include <algorithm>
#include <utility>

#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/whole/features.hpp"

namespace zerocts {
namespace {

constexpr int kDrawsForAMinimum = 50;
constexpr uint64_t kSizes = 101;  // RapidCheck's, 0 to 100

}  // namespace

RandomCases::RandomCases(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities,
                         uint64_t seed, FeatureCounts wanted, std::set<std::string> urgent)
    : cases_(CasesOf(space, conditions, capabilities)),
      random_(seed),
      wanted_(std::move(wanted)),
      urgent_(std::move(urgent)) {
  std::erase_if(urgent_, [this](const std::string& feature) { return !wanted_.contains(feature); });
}

const RandomCases::Drawn& RandomCases::At(size_t index) {
  while (drawn_.size() <= index) drawn_.push_back(Next());
  return drawn_[index];
}

const FeatureCounts& RandomCases::WantedAfter(size_t count) {
  while (drawn_.size() < count && !wanted_.empty()) drawn_.push_back(Next());
  return wanted_;
}

RandomCases::Drawn RandomCases::Next() {
  rc::Random of_case = random_.split();
  rc::Random random = of_case.split();
  Drawn chosen = Draw(random);
  for (int tries = 1; tries < kDrawsForAMinimum && !wanted_.empty() && !IsWanted(chosen); ++tries) {
    Drawn other = Draw(random);
    if (IsWanted(other)) chosen = std::move(other);
  }
  for (const std::string& feature : chosen.features) {
    const auto wanted = wanted_.find(feature);
    if (wanted == wanted_.end() || --wanted->second > 0) continue;
    wanted_.erase(wanted);
    urgent_.erase(feature);
  }
  return chosen;
}

/// Sizes are drawn too: RapidCheck's grow with the number of a case, and a configuration may have a single one.
RandomCases::Drawn RandomCases::Draw(rc::Random& random) const {
  rc::Random of_size = random.split();
  rc::Shrinkable<Case> shrinkable = cases_(random.split(), static_cast<int>(of_size.next() % kSizes));
  Case value = shrinkable.value();
  std::set<std::string> features = FeaturesOf(value);
  return {std::move(shrinkable), std::move(value), std::move(features)};
}

bool RandomCases::IsWanted(const Drawn& drawn) const {
  return std::ranges::any_of(drawn.features, [this](const std::string& feature) {
    return urgent_.empty() ? wanted_.contains(feature) : urgent_.contains(feature);
  });
}

}  // namespace zerocts
