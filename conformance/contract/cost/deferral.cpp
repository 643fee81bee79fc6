#include "conformance/contract/cost/judge_traffic.hpp"

namespace zerocts::deferral {

const Clause kClause{
    .id = "C-ZERO-101",
    .name = "deferral is real",
    .sentence = "When ranks meet once per step, earlier micro-batches move no gradients.",
    .fidelity = Fidelity::kBounded,
    .how =
        "Two micro-batches and more, reduced once: the bytes of the step, all-reduces included, are those of one "
        "reduction, by the subject's word and on the rank's connections.",
    .bugs = {{"A no_sync that did nothing cost four times the communication.",
              "https://github.com/NVIDIA/cosmos-framework/issues/161"},
             {"The root unit was gathered again in every micro-batch.",
              "https://github.com/pytorch/pytorch/pull/75901"}},
    .essential = {{"several_ranks"}, {"sync_last_micro_batch"}, {"traffic"}},
    .features = {"sync_last_micro_batch"},
    .revision = 6,
};

CaseSpace Space() {
  CaseSpace space{.shapes = ShapeStyle::kBothSizes};
  space.gradients = {GradientSource::kIndexCoded};
  space.max_steps = 2;
  space.max_micro_batches = 4;
  space.finish = [](Case& c) {
    c.plan.clear();
    c.fidelity = Fidelity::kBounded;
    c.observe_traffic = true;
  };
  space.keep = [](const Case& c) { return c.experiment.micro_batches > 1; };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeTraffic);

}  // namespace zerocts::deferral
