// C-ZERO-081: saved by one number of ranks, loaded by another: the same logical state, and training goes on from it.
#include "conformance/cases/reshard.hpp"
#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts {
namespace {

/// C-ZERO-083 asks what a load makes of a parameter that is frozen then.
bool SavesFrozen(const Case& c) { return FeaturesOf(c).contains("resumed_frozen"); }

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.max_groups = 3;
  space.hyper_changes = space.buckets = space.mesh = space.offload = true;
  space.frozen = space.tied = space.buffers = space.mixed_precisions = true;
  space.checkpoint = CheckpointUse::kReshard;
  space.keep = [](const Case& c) { return HasNoEmptyGroup(c) && !SavesFrozen(c); };
  space.finish = [](Case& c) { GiveMomentumToAllOrNone(c.experiment); };
  return space;
}

/// Those who save are judged first: what they got wrong says nothing of a load.
std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const RunResult shown = Session::Get().Run(stratum, c);
  if (auto finding = AgainstReference(stratum, SavingRun(c), shown.ranks)) return finding;
  auto finding = AgainstReference(stratum, LoadingRun(c), shown.loading_ranks);
  if (!finding) return std::nullopt;
  finding->sentence = LoadedBy(c) + finding->sentence;
  if (finding->divergence) finding->divergence->by_loaders = true;
  return finding;
}

const RegisteredClause clause("C-ZERO-081", "AnyNumberOfRanksLoadsWhatAnotherSaved", Space, Judge);

}  // namespace
}  // namespace zerocts
