#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts::accumulation_equivalence {

const Clause kClause{
    .id = "C-ZERO-020",
    .name = "accumulation equivalence",
    .sentence =
        "K micro-batches are one batch: each contributes once to the update of its own window, in the "
        "first window and in every later one.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        std::string("Three windows and more of up to four micro-batches with one-hot and index-coded gradients, with "
                    "offload and small buckets; a contribution that is lost, doubled or late is named.") +
        kMovesWithoutSgd,
    .bugs = {{"A micro-step counter was right in the first window and wrong from the second.",
              "https://github.com/deepspeedai/DeepSpeed/pull/6550"},
             {"With offload only the last of several backward passes stayed.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7981"},
             {"Conversion to fp32 came before the all-reduce of the bf16 gradients.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5154"}},
    .essential = {{"accumulation"}},
    .features = {"accumulation", "multi_window", "one_hot"},
    .needs = {"K that changes between windows"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kOneHot, GradientSource::kIndexCoded};
  space.plain_update = true;
  space.min_steps = 3;
  space.max_steps = 4;
  space.max_micro_batches = 4;
  space.vary = {"buckets", "gradient sync", "offload"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::accumulation_equivalence
