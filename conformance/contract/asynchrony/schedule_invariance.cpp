// C-ZERO-071: runs of one case have the same bits, however long things take.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kUniform};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.overlap = true;
  space.offload = true;
  space.sync_each = true;
  space.buckets = true;
  space.mesh = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = AgainstReference(stratum, c, ranks)) return finding;
  for (int again = 0; again < 2; ++again) {
    if (auto finding = CompareRuns(c, ranks, c, Observe(stratum, c), "the moment at which it ran")) return finding;
  }
  return std::nullopt;
}

const RegisteredClause clause("C-ZERO-071", "TheScheduleCannotBeSeen", Space, Judge);

}  // namespace
}  // namespace zerocts
