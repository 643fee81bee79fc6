#include "conformance/cases/beyond_abi.hpp"

#include <algorithm>

namespace zerocts {
namespace {

bool IsPlainSgd(const HyperParameters& values) { return values.dampening == 0.0f && !values.nesterov; }

bool AllPlain(const Experiment& e) {
  return std::ranges::all_of(e.groups, IsPlainSgd) &&
         std::ranges::all_of(e.changes, [](const HyperParameterChange& change) { return IsPlainSgd(change.values); });
}

std::string FirstFeature(const Experiment& e) {
  if (e.optimizer != OptimizerKind::kSgd && e.optimizer != OptimizerKind::kAdamW) {
    return "the optimizer " + ToString(e.optimizer);
  }
  if (e.formula != OptimizerFormula{}) return "another formula of " + ToString(e.optimizer);
  if (!AllPlain(e)) return "dampening or nesterov";
  if (e.clip_norm != NormKind::kTwo) return "clipping by the norm " + ToString(e.clip_norm);
  if (e.clip_formula != ClipFormula::kMin) return "the clip formula " + ToString(e.clip_formula);
  if (e.accumulation != Precision::kFp32) return "accumulation in " + ToString(e.accumulation);
  if (e.reduction != Precision::kFp32) return "reduction in " + ToString(e.reduction);
  if (e.loss_scaling.kind != LossScaleKind::kNone) return "loss scaling";
  if (!e.roles.frozen.empty()) return "frozen parameters";
  if (!e.roles.without_gradient.empty()) return "parameters without gradient";
  if (!e.roles.tied.empty()) return "tied parameters";
  if (!e.roles.buffers.empty()) return "buffers";
  if (!e.roles.precisions.empty()) return "parameters of several precisions";
  return "";
}

}  // namespace

std::string BeyondAbi(const Experiment& experiment) {
  const std::string feature = FirstFeature(experiment);
  return feature.empty() ? "" : feature + " (zerocts_subject.h version 1 cannot say it)";
}

}  // namespace zerocts
