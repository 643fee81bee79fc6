#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts::extra_calls {

const Clause kClause{
    .id = "C-ZERO-066",
    .name = "calls between those that train",
    .sentence =
        "Reads, saves, loads into a fresh engine and refused calls, in any sequence and at any micro-batch, change "
        "nothing: the run has the bits of one without them.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Runs of four to eight steps, with changing groups, frozen parameters, missing gradients and skipped steps, "
        "get "
        "up to two such calls a step; each read, and what is observed after each load and step, is compared with the "
        "reference. A failing sequence is shrunk to the calls that it needs. A fresh engine within a step gets its "
        "micro-batches again.",
    .bugs = {{"The state that was saved while parameters still had gradients was silently empty.",
              "https://github.com/pytorch/pytorch/issues/140898"},
             {"An evaluation between two micro-batches broke the next training pass.",
              "https://github.com/facebookresearch/fairscale/issues/710"},
             {"Asking for the optimizer's state before the first step changed it.",
              "https://github.com/pytorch/pytorch/issues/164929"},
             {"Validation ran while the gather of the last step was still pending.",
              "https://github.com/NVIDIA/Megatron-LM/commit/33111c9c9a"}},
    .essential = {{"read_in_window", "save_again"}},
    .features = {"read_in_window", "save_again", "save_before_update", "save_in_window", "resume_again",
                 "resume_in_window", "mistake", "accumulation", "multi_step"},
    .needs = {"another number of micro-batches in each step", "parameters that are added later"},
    .revision = 1,
};

bool IsUpdatedBefore(const Experiment& e, int parameter, int64_t step) {
  while (step > 0 && !IsUpdated(e, parameter, step - 1)) --step;
  return step > 0;
}

/// A checkpoint in which a parameter is frozen, or was until now, is not loaded: C-ZERO-083 does it.
void LoadNoFrozen(Case& c) {
  const Experiment& e = c.experiment;
  const auto loads_frozen = [&](const ExtraCall& call) {
    return call.kind == ExtraCallKind::kResume && std::ranges::any_of(e.roles.frozen, [&](const StepSpan& span) {
             return e.roles.IsFrozen(span.parameter, call.step) || !IsUpdatedBefore(e, span.parameter, call.step);
           });
  };
  std::erase_if(c.extra_calls, loads_frozen);
}

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.optimizers.push_back(OptimizerKind::kAdam);
  space.min_steps = 4;
  space.max_steps = 8;
  space.vary = {"momentum",      "hyper-parameter changes",
                "buffers",       "tied names",
                "experts",       "mixed precisions",
                "sums",          "frozen parameters",
                "loss scaling",  "missing gradients",
                "buckets",       "mesh",
                "gradient sync", "overlap",
                "offload",       "clipping",
                "read order",    "loss",
                "extra calls"};
  space.keep = HasNoEmptyGroup;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    LoadNoFrozen(c);
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::extra_calls
