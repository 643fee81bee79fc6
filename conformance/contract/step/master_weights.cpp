#include "conformance/contract/judging.hpp"

namespace zerocts::master_weights {

const Clause kClause{
    .id = "C-ZERO-056",
    .name = "master weights",
    .sentence =
        "With bf16 parameters, updates below their resolution add up in fp32 master weights, and the "
        "parameter is the rounded master.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Eight steps and more whose updates are far below half a unit of bf16; masters and parameters are "
        "compared in every step.",
    .bugs = {{"bf16 parameters without master weights could not move.",
              "https://github.com/NVIDIA/Model-Optimizer/pull/2322"},
             {"Masters were made from low-precision parameters.",
              "https://github.com/deepspeedai/DeepSpeed/pull/2058"}},
    .essential = {{"bf16"}},
    .features = {"bf16", "multi_step"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdam};
  space.initial = InitialValues::kUniform;
  space.min_steps = 8;
  space.max_steps = 12;
  space.max_micro_batches = 1;
  space.finish = [](Case& c) { ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.lr /= 1024; }); };
  space.vary = {"loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::master_weights
