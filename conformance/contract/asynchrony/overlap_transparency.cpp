// C-ZERO-070: collectives beside forward and backward change no bit.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.overlap = true;
  space.sync_each = true;
  space.buckets = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = AgainstReference(stratum, c, ranks)) return finding;
  if (!Session::Get().capabilities().overlap) return std::nullopt;
  Case other = c;
  other.overlap = c.overlap == Overlap::kOn ? Overlap::kOff : Overlap::kOn;
  return CompareRuns(c, ranks, other, Observe(stratum, other), "overlap, on or off");
}

const RegisteredClause clause("C-ZERO-070", "OverlapCannotBeSeen", Space, Judge);

}  // namespace
}  // namespace zerocts
