// C-ZERO-073: copies between host and device are complete before anybody reads them.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {3};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.offload = true;
  space.overlap = true;
  space.sync_each = true;
  space.buckets = true;
  space.clip = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = AgainstReference(stratum, c, ranks)) return finding;
  if (c.offload == Offload::kNone) return std::nullopt;
  Case other = c;
  other.offload = Offload::kNone;
  return CompareRuns(c, ranks, other, Observe(stratum, other), "offload");
}

const RegisteredClause clause("C-ZERO-073", "CopiesAreCompleteBeforeTheyAreRead", Space, Judge);

}  // namespace
}  // namespace zerocts
