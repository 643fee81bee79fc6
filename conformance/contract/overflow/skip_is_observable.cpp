#include "conformance/contract/judging.hpp"

namespace zerocts::skip_is_observable {

const Clause kClause{
    .id = "C-ZERO-043",
    .name = "skip is observable",
    .sentence = "A step that was skipped says so.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how = "What the step reports is compared with the reference: skipped or not, and the scale it used.",
    .bugs = {{"With a static scale steps were skipped without any signal, for a whole training.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8415"},
             {"Optimizer steps were skipped silently at the first scale.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8432"}},
    .essential = {{"overflow"}},
    .features = {"overflow"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.vary = {"loss scaling", "buckets", "offload", "loss"};
  space.min_steps = 2;
  space.max_steps = 4;
  space.keep = ScalesLoss;
  return space;
}

/// What the steps report alone: a wrong tensor or norm is for other clauses to find.
std::optional<Finding> Judge(Trial& trial, const Case& c) {
  return AgainstReference(trial, c, trial.Observe(c),
                          {.parameters = false, .states = false, .gradient = false, .norm = false, .losses = false});
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::skip_is_observable
