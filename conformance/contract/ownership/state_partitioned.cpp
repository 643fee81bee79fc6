#include "conformance/check/cost/memory.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::state_partitioned {

const Clause kClause{
    .id = "C-ZERO-007",
    .name = "state really partitioned",
    .sentence =
        "A rank holds no more than its share of the optimizer state from stage 1 on, of the gradients from "
        "stage 2 on, of the parameters in stage 3, and says truthfully what it holds.",
    .fidelity = Fidelity::kBounded,
    .how =
        "Large parameters. Per rank, the bytes of optimizer state must not exceed ceil(total / W) elements "
        "of master weights and moments plus the declared slack, those of the rank's expert divided by its ranks; "
        "the same holds for gradients and parameters. What the subject reports is compared with what the host's "
        "allocator "
        "counted and with the growth of the process since before its first case, seen by mallinfo2 for plugins and by "
        "the kernel for all: anonymous and shared memory of the process and all that descend from its shim, and what "
        "they write to files or read from them in a step, before the subject is asked and after. A group's first case "
        "is a small one that is not judged, so that what is made once and for good hardly counts. None of it shows "
        "the memory of a device, and where the kernel hides a part the figures are self-reported. Some cases are so "
        "large that whole moments fit into no allowance.",
    .bugs = {{"Parameters were constructed before the process group existed, so the world silently had one "
              "rank and nothing was sharded.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8089"},
             {"Clamping hybrid shard to one rank per shard silently turned sharding off.",
              "https://github.com/verl-project/verl/pull/7494"}},
    .essential = {{"several_ranks"}, {"adamw", "momentum"}},
    .features = {"adamw", "momentum", "expert_shards", "large_state"},
    .revision = 6,
};

CaseSpace Space() {
  CaseSpace space{.shapes = ShapeStyle::kLarge};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {1, 2, 3};
  space.vary = {"experts"};
  space.max_steps = 1;
  space.max_micro_batches = 1;
  space.finish = [](Case& c) {
    c.fidelity = Fidelity::kBounded;
    c.plan.clear();  // the subject's own: plans by parameter or block promise no share to the byte
    c.observe_parameters = c.observe_states = c.observe_gradient = false;
    c.observe_memory = true;
  };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  const Capabilities& can = trial.can();
  return CheckMemory(c, ranks, {can.optimizer_slack_bytes, can.granularity, can.device_memory}, trial.evidence());
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::state_partitioned
