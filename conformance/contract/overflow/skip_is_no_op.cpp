#include "conformance/contract/judging.hpp"

namespace zerocts::skip_is_no_op {

const Clause kClause{
    .id = "C-ZERO-041",
    .name = "skip is a no-op",
    .sentence = "A skipped step leaves parameters, master weights, moments and step counts as they were.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "SGD with momentum, AdamW and Muon; after a skipped step every bit is the one before it, and later steps "
        "are those of a reference that skipped too.",
    .bugs = {{"A skipped step had already changed the momentum of Muon.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8432"},
             {"The check for finite values ran after the optimizer step.",
              "https://github.com/pytorch/torchtitan/pull/4226"}},
    .essential = {{"overflow"}},
    .features = {"overflow", "momentum", "adamw", "multi_step", "past_caches"},
    .needs = {"schedules that count applied steps"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.optimizers.push_back(OptimizerKind::kMuon);
  space.vary = {"block sizes", "loss scaling", "buckets", "offload", "loss"};
  space.min_steps = 2;
  space.max_steps = 4;
  space.keep = ScalesLoss;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::skip_is_no_op
