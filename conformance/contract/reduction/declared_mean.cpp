#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts::declared_mean {

const Clause kClause{
    .id = "C-ZERO-010",
    .name = "declared mean is exact",
    .sentence =
        "The gradient that the optimizer sees is the mean over all W * K micro-batches, for every W "
        "and K, one rank and odd numbers of ranks included.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        std::string("Index-coded gradients whose mean is an integer in every order of adding and dividing; SGD with a "
                    "power of two as lr shows it. A wrong factor (W, K, W * K, one over them) is named.") +
        kMovesWithoutSgd,
    .bugs = {{"On gloo FSDP2 summed the gradients and left them undivided.",
              "https://github.com/pytorch/pytorch/issues/162338"},
             {"The divide factor was ignored when the sharding degree was 1.",
              "https://github.com/pytorch/pytorch/pull/167178"},
             {"The gradient scale was applied to the whole buffer once per bucket.",
              "https://github.com/NVIDIA/Megatron-LM/pull/3023"},
             {"An inverted check skipped the scaling of replicated gradients.",
              "https://github.com/NVIDIA/Megatron-LM/pull/3754"},
             {"With bf16 and accumulation, gradients became fp32 before the all-reduce of the bf16 ones.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5154"}},
    .essential = {{"several_ranks", "accumulation"}},
    .features = {"uneven", "accumulation", "multi_step", "bucket_partial"},
    .needs = {"meshes with a dimension of size 1", "declared operations other than the mean"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.plain_update = true;
  space.max_micro_batches = 5;
  space.vary = {"buckets"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::declared_mean
