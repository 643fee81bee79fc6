#include "conformance/cases/capabilities/beyond_abi.hpp"

#include <algorithm>

namespace zerocts {
namespace {

std::string FirstFeature(const Experiment& e) {
  if (e.gradients != GradientSource::kModel) return "";
  if (!e.roles.without_gradient.empty()) return "parameters of a model without gradient";
  if (!e.roles.tied.empty()) return "tied parameters of a model";
  return "";
}

}  // namespace

std::string BeyondAbi(const Experiment& experiment) {
  const std::string feature = FirstFeature(experiment);
  return feature.empty() ? "" : feature + " (zerocts_subject.h version 1 cannot say it)";
}

bool HasSgdVariants(const Experiment& e) {
  if (e.optimizer == OptimizerKind::kMuon) return false;  // has it by itself
  const auto is_plain = [](const HyperParameters& values) { return values.dampening == 0.0f && !values.nesterov; };
  return !std::ranges::all_of(e.groups, is_plain) ||
         !std::ranges::all_of(e.changes, is_plain, &HyperParameterChange::values);
}

}  // namespace zerocts
