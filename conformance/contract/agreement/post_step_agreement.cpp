// C-ZERO-060: after every step all ranks hold the same parameters, the owner's master weights cast.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kUniform};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.clip = true;
  space.buckets = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  return CheckAgreement(c, ranks);
}

const RegisteredClause clause("C-ZERO-060", "AllRanksHoldTheOwnersMasterWeightsAfterEveryStep", Space, Judge);

}  // namespace
}  // namespace zerocts
