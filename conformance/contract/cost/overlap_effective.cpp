#include "conformance/check/overlap.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::overlap_effective {

const Clause kClause{
    .id = "C-ZERO-102",
    .name = "overlap is effective",
    .sentence = "With overlap, collectives are under way while forward or backward computes.",
    .fidelity = Fidelity::kBounded,
    .how =
        "The recorded timeline of each rank: some collective must have begun before and ended after the "
        "beginning of a forward or backward.",
    .bugs = {{"A fix made streams wait for each other both ways: the all-reduce waited for the computation.",
              "https://github.com/deepspeedai/DeepSpeed/issues/7804"},
             {"A lock around alternating buffers made everything serial.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7371"}},
    .essential = {{"overlap"}, {"timeline"}},
    .features = {"overlap", "model_on_text"},
    .needs = {"the share of time that is hidden"},
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel};
  space.stages = {2, 3};
  space.initial = InitialValues::kModel;
  space.min_steps = 2;
  space.max_steps = 3;
  space.vary = {"overlap"};
  space.finish = [](Case& c) {
    c.overlap = Overlap::kOn;
    c.fidelity = Fidelity::kBounded;
    c.observe_timeline = true;
  };
  // A run may ask for offload, too. Full offload puts copies between computation and collectives.
  space.keep = [](const Case& c) { return c.offload != Offload::kFull; };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckOverlap(c, ranks, trial.evidence())) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::overlap_effective
