// C-ZERO-058: a real model trained on real batches stays within the bound of exact arithmetic.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel};
  space.initial = InitialValues::kModel;
  space.bounded = space.optimizer_variants = true;
  space.buckets = space.sync_each = space.overlap = space.mesh = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CompareWithBound(c, ranks)) return finding;
  return CheckAgreement(c, ranks);
}

const RegisteredClause clause("C-ZERO-058", "RealTrainingStaysWithinItsBound", Space, Judge);

}  // namespace
}  // namespace zerocts
