#include "conformance/check/bounded/compare_bounded.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::real_training {

const Clause kClause{
    .id = "C-ZERO-058",
    .name = "real training",
    .sentence =
        "Real batches through a real model, forward and backward included, leave losses, gradients and "
        "parameters within a derived bound of exact arithmetic, and the same bits on every rank.",
    .fidelity = Fidelity::kBounded,
    .how =
        "The subject itself trains a small MLP on text by SGD. The same training is walked in double, where "
        "every operation also carries what fp32 may err in any order of addition; a failure prints the bound "
        "and its parts. Gradients depend on the parameters here, so forward or backward with stale or wrongly "
        "gathered ones shows.",
    .bugs = {{"Forward read weights of the step before where modules ran in another order than their buckets.",
              "https://github.com/NVIDIA/Megatron-LM/issues/950"},
             {"With parameters gathered beside the computation the loss did not fall.",
              "https://github.com/NVIDIA/Megatron-LM/issues/663"},
             {"A released parameter was taken for gathered, and an empty weight was multiplied.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8486"}},
    .essential = {{"real_training"}},
    .features = {"real_training", "accumulation", "multi_step", "momentum", "uneven", "expert_layer"},
    .needs = {"bf16", "models other than the mlp", "optimizers that divide by a moment"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel};
  space.initial = InitialValues::kModel;
  space.vary = {"tensor", "experts", "momentum", "buckets", "mesh", "gradient sync", "overlap"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CompareWithBound(c, ranks)) return finding;
  return CheckAgreement(c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::real_training
