#include <fmt/format.h>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::replica_dimension {

const Clause kClause{
    .id = "C-ZERO-016",
    .name = "replica dimension",
    .sentence =
        "With R replicas of S shards gradients are added over both dimensions, micro-batches included, "
        "and the result does not depend on R and S.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Every factorisation of the world size runs the same case with exact gradients; all must have equal "
        "bits, and those of the reference.",
    .bugs = {{"Hybrid shard with one rank per sharding group never synchronised gradients.",
              "https://github.com/verl-project/verl/issues/7493"},
             {"One divide factor gave different gradients on 1-D and 2-D meshes.",
              "https://github.com/pytorch/pytorch/issues/155903"},
             {"Gradients accumulated after the all-reduce lost earlier micro-batches of other replicas.",
              "https://github.com/pytorch/pytorch/pull/125484"}},
    .essential = {{"mesh"}},
    .features = {"mesh", "accumulation", "sync_every_micro_batch"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {1, 2, 3};
  space.vary = {"mesh", "gradient sync", "clipping", "loss"};
  space.keep = [](const Case& c) { return IsExact(c.experiment); };  // its runs add in different orders
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = AgainstReference(trial, c, ranks)) return finding;
  for (int replicas = 1; replicas <= c.world_size(); ++replicas) {
    const bool is_declared = trial.can().replicas && replicas >= trial.can().min_replicas;
    if (c.world_size() % replicas != 0 || replicas == c.replicas || !is_declared) continue;
    Case other = c;
    other.replicas = replicas;
    if (IsPlanFile(other.plan)) other.plan.clear();  // it is for as many replicas as it says
    const Observations others = trial.Observe(other);
    if (auto finding = CompareRuns(c, ranks, other, others, fmt::format("the mesh, {} replicas", replicas)))
      return finding;
  }
  return std::nullopt;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::replica_dimension
