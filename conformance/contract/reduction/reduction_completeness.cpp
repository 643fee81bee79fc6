#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts::reduction_completeness {

const Clause kClause{
    .id = "C-ZERO-011",
    .name = "reduction completeness",
    .sentence =
        "Every micro-batch's gradient of every element is reduced exactly once, whether its parameter "
        "fills a bucket, exceeds it or is left over in the last one.",
    .fidelity = Fidelity::kExactInputs,
    .how = std::string(
               "One-hot gradients: each element has one micro-batch on one rank that contributes. The update names "
               "the contribution that was lost or counted twice. Bucket sizes lie around the parameter sizes.") +
           kMovesWithoutSgd,
    .bugs = {{"A parameter of exactly the bucket size was never reduced.",
              "https://github.com/deepspeedai/DeepSpeed/pull/4321"},
             {"A gradient larger than the bucket was put on the list but not into the buffer that was reduced.",
              "https://github.com/deepspeedai/DeepSpeed/pull/3832"},
             {"The last, partly filled bucket was not flushed at the end of the step.",
              "https://github.com/deepspeedai/DeepSpeed/issues/4879"},
             {"Under the pipeline engine the epilogue of the reduction never ran.",
              "https://github.com/deepspeedai/DeepSpeed/pull/677"},
             {"Gradients of parameters excluded from sharding were not synchronised.",
              "https://github.com/pytorch/pytorch/issues/98281"}},
    .essential = {{"one_hot"}, {"several_ranks", "accumulation"}},
    .features = {"one_hot", "accumulation", "bucket_partial", "bucket_exact", "bucket_oversize"},
    .needs = {"missing gradients: a parameter that some or all micro-batches do not use",
              "replicated parameters by declaration"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kOneHot};
  space.plain_update = true;
  space.vary = {"buckets"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::reduction_completeness
