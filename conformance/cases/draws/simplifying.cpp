#include "conformance/cases/draws/simplifying.hpp"

#include "conformance/cases/draws/role_edits.hpp"

namespace zerocts {
namespace {

/// Are there parameters for what is said of parameters?
bool MakesSense(const Experiment& e) { return !e.parameters.empty() && e.steps >= 1; }

}  // namespace

void Simplifying::Keep(Case candidate) {
  if (candidate == c || !MakesSense(candidate.experiment)) return;
  DropWhatDoesNotFit(candidate);
  const bool stays_exact = !IsExact(e) || IsExact(candidate.experiment);
  if (stays_exact && Problem(candidate).empty()) candidates_.push_back(std::move(candidate));
}

std::vector<int64_t> Simplifying::Below(int64_t value, int64_t smallest) {
  std::vector<int64_t> values;
  for (const int64_t smaller : {smallest, value / 2, value - 1}) {
    if (smaller >= smallest && smaller < value && (values.empty() || smaller > values.back())) {
      values.push_back(smaller);
    }
  }
  return values;
}

}  // namespace zerocts
