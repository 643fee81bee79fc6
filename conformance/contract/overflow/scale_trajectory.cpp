#include "conformance/contract/judging.hpp"

namespace zerocts::scale_trajectory {

const Clause kClause{
    .id = "C-ZERO-042",
    .name = "loss-scale trajectory",
    .sentence =
        "The loss scale follows its declared automaton: backoff, growth interval, hysteresis and "
        "minimum; on every rank the same.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Twelve to twenty steps with planted overflows and short growth intervals; the scale of every step "
        "is compared.",
    .bugs = {{"Grids of ranks kept different scales after one of them overflowed.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5331"},
             {"One stage lost several levels of scale in one step, another was late by one.",
              "https://github.com/deepspeedai/DeepSpeed/issues/1599"}},
    .essential = {{"dynamic_scale"}},
    .features = {"dynamic_scale", "overflow"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.vary = {"loss scaling", "loss"};
  space.min_steps = 12;
  space.max_steps = 20;
  space.max_micro_batches = 1;
  space.keep = [](const Case& c) { return c.experiment.loss_scaling.kind == LossScaleKind::kDynamic; };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::scale_trajectory
