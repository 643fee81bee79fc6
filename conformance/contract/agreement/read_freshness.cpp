#include "conformance/contract/judging.hpp"

namespace zerocts::read_freshness {

const Clause kClause{
    .id = "C-ZERO-061",
    .name = "read-after-step freshness",
    .sentence =
        "A read shows the parameters of the last finished step: the new ones directly after it, in any "
        "order and again, the old ones before it.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Parameters are read directly after the step in registration, reversed and shuffled order, a second "
        "time, and between the last gradient and the step, with replicas, overlap and offload, too; each read must "
        "have the reference's bits of its "
        "moment.",
    .bugs = {{"Gathers were served in bucket order only, and a module called out of order computed with old weights.",
              "https://github.com/NVIDIA/Megatron-LM/issues/950"},
             {"Validation ran while the gather of the last step was still pending.",
              "https://github.com/NVIDIA/Megatron-LM/commit/33111c9c9a"},
             {"The hook that refreshes weights after the step was inherited as a no-op.",
              "https://github.com/NVIDIA/Megatron-LM/pull/6336"},
             {"summon_full_params read before the all-gather had ended.",
              "https://github.com/pytorch/pytorch/pull/73314"},
             {"A released parameter was marked available through a stale handle.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8486"}},
    .essential = {{"multi_step"}},
    .features = {"read_reversed", "read_shuffled", "read_before_step", "read_twice", "multi_step"},
    .needs = {"lazy gather: access to a parameter that is not gathered fails loudly", "reads through a checkpoint"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"buckets", "mesh", "overlap", "offload", "read order", "further reads", "loss"};
  space.finish = [](Case& c) { c.observe_states = false; };  // nothing between the step and the read
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  return AgainstReference(trial, c, trial.Observe(c), {.states = false});
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::read_freshness
