// C-ZERO-040: one value that is not finite, wherever it is, decides for all ranks.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.loss_scaling = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.buckets = true;
  space.offload = true;
  space.keep = [](const Case& c) { return c.experiment.loss_scaling.kind != LossScaleKind::kNone; };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckAgreement(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-040", "AllRanksDecideAlike", Space, Judge);

}  // namespace
}  // namespace zerocts
