#include "conformance/contract/cost/judge_traffic.hpp"

namespace zerocts::communication_volume {

const Clause kClause{
    .id = "C-ZERO-100",
    .name = "communication volume",
    .sentence = "A step moves what has to travel and no more bytes than its stage's formula, in few collectives.",
    .fidelity = Fidelity::kBounded,
    .how =
        "What the ranks of a replica sent and received in a step, all-reduces included, against 2 (W - 1) N elements "
        "for stages 1 and 2 (3 (W - 1) N where stage 1 all-reduces) and 3 (W - 1) N for stage 3, with the padding that "
        "the bound allows for; calls against the number of buckets. What is received is what was sent, and no less "
        "than the gradients that have to leave their ranks. An expert's parameters have its ranks for W. With T "
        "tensor ranks N is what each has, and each sum that they split adds its slices on every rank: (T - 1) n of n "
        "slices of an output, or its share with split positions; each gathering T - 1 outputs. The rank's "
        "connections, where its client sees them, carry at most twice the formula.",
    .bugs = {{"A counter was never reset: every parameter had a reduction of its own.",
              "https://github.com/deepspeedai/DeepSpeed/issues/7415"},
             {"Stage 2 always made an all-reduce.", "https://github.com/deepspeedai/DeepSpeed/pull/4946"},
             {"Parameters were gathered twice.", "https://github.com/NVIDIA/Megatron-LM/pull/1645"}},
    .essential = {{"several_ranks"}, {"traffic"}},
    .features = {"multi_step", "bucket", "mesh", "tensor", "experts"},
    .needs = {"compressed communication"},
    .revision = 7,
};

CaseSpace Space() {
  CaseSpace space{.shapes = ShapeStyle::kBothSizes};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.gradients = {GradientSource::kModel, GradientSource::kIndexCoded};
  space.max_steps = 2;
  space.vary = {"tensor", "vocab_parallel", "sequence_parallel", "buckets",
                "mesh",   "gradient sync",  "kv_heads",          "experts"};
  space.finish = [](Case& c) {
    UseModelWeights(c);
    c.plan.clear();  // the subject's own: plans by parameter give ranks parts of very different size
    c.fidelity = Fidelity::kBounded;
    c.observe_traffic = true;
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeTraffic);

}  // namespace zerocts::communication_volume
