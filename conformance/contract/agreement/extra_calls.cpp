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
        "get up to twice as many such calls as they have steps. A fresh engine loads what was just saved, or the "
        "first save of the run, and repeats the training from there. What is observed after each load and step, and "
        "each read, is compared with the reference. A failing sequence is shrunk as a sequence.",
    .bugs = {{"The state that was saved while parameters still had gradients was silently empty.",
              "https://github.com/pytorch/pytorch/issues/140898"},
             {"An evaluation between two micro-batches broke the next training pass.",
              "https://github.com/facebookresearch/fairscale/issues/710"},
             {"Asking for the optimizer's state before the first step changed it.",
              "https://github.com/pytorch/pytorch/issues/164929"},
             {"Validation ran while the gather of the last step was still pending.",
              "https://github.com/NVIDIA/Megatron-LM/commit/33111c9c9a"}},
    .essential = {{"extra_call"}},
    .features = {"read_in_window", "save_again", "save_before_update", "save_in_window", "mistake", "accumulation",
                 "multi_step"},
    .needs = {"another number of micro-batches in each step", "parameters that are added later", "tensor ranks"},
    .revision = 1,
};

bool IsUpdatedBefore(const Experiment& e, int parameter, int64_t step) {
  while (step > 0 && !IsUpdated(e, parameter, step - 1)) --step;
  return step > 0;
}

void NeverReturn(Case& c) {
  std::erase_if(c.extra_calls, [](const ExtraCall& call) { return call.kind == ExtraCallKind::kReturn; });
}

/// A checkpoint in which a parameter is frozen, or was until then, is saved and not loaded: C-ZERO-083 does it.
void LoadNoFrozen(Case& c) {
  const Experiment& e = c.experiment;
  const auto has_frozen = [&](const ExtraCall& saved) {
    return std::ranges::any_of(e.roles.frozen, [&](const StepSpan& span) {
      return e.roles.IsFrozen(span.parameter, saved.step) || !IsUpdatedBefore(e, span.parameter, saved.step);
    });
  };
  for (ExtraCall& call : c.extra_calls) {
    if (call.kind == ExtraCallKind::kResume && has_frozen(call)) call.kind = ExtraCallKind::kSave;
  }
  const ExtraCall* first = SavedForReturn(c);
  if (first && has_frozen(*first)) NeverReturn(c);
}

/// A fresh engine may add in another order than one that has trained for some steps, and each step is probed for one.
void RepeatNoProbedSums(Case& c) {
  if (c.reduction_order == "probed" && !IsExact(c.experiment)) NeverReturn(c);
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
    RepeatNoProbedSums(c);
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::extra_calls
