// C-ZERO-059: W ranks of a subject end with the bits of one rank of it, whatever its formula and its model's
// arithmetic.
#include "conformance/cases/one_rank.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb, OptimizerKind::kSgd};
  space.initial = InitialValues::kUniform;
  space.parity = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.clip = space.hyper_changes = space.buckets = true;
  space.mesh = space.sync_each = space.overlap = space.offload = true;
  space.frozen = space.missing = space.buffers = space.mixed_precisions = space.loss_scaling = true;
  space.optimizer_variants = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  space.keep = AddsAsOnOneRank;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  const Case alone = OnOneRank(c);
  return CompareWithOneRank(c, ranks, alone, Observe(stratum, alone));
}

const RegisteredClause clause("C-ZERO-059", "RanksHaveTheBitsOfOneRank", Space, Judge);

}  // namespace
}  // namespace zerocts
