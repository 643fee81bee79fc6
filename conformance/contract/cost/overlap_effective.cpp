#include "conformance/check/events/overlap.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::overlap_effective {

const Clause kClause{
    .id = "C-ZERO-102",
    .name = "overlap is effective",
    .sentence =
        "With overlap, at least half of the collectives that may run beside forward or backward are asked for before "
        "it and waited for after it.",
    .fidelity = Fidelity::kBounded,
    .how =
        "The events of each rank: in which order its thread asked for collectives and computation, on which queue, and "
        "what waited for what. The clock plays no part. A reduction may run beside a backward that comes after the one "
        "which completes its gradients; a gather beside a computation that comes, in its pass, before the one which "
        "needs it. Reductions and gathers are counted apart. Events that contradict themselves or the timeline fail.",
    .bugs = {{"A fix made streams wait for each other both ways: the all-reduce waited for the computation.",
              "https://github.com/deepspeedai/DeepSpeed/issues/7804"},
             {"A lock around alternating buffers made everything serial.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7371"}},
    .essential = {{"overlap"}, {"events"}, {"timeline"}},
    .features = {"overlap", "model_on_text"},
    .needs = {"the share of time that is hidden", "events that somebody else than the subject saw"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel};
  space.stages = {1, 2, 3};
  space.initial = InitialValues::kModel;
  space.min_steps = 2;
  space.max_steps = 3;
  space.vary = {"overlap", "offload", "mesh", "gradient sync", "buckets"};
  space.finish = [](Case& c) {
    c.overlap = Overlap::kOn;
    c.fidelity = Fidelity::kBounded;
    c.observe_timeline = c.observe_events = true;
  };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckOverlap(c, ranks, trial.evidence())) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::overlap_effective
