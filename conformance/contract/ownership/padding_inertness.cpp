#include "conformance/contract/judging.hpp"

namespace zerocts::padding_inertness {

const Clause kClause{
    .id = "C-ZERO-003",
    .name = "padding inertness",
    .sentence = "What lies in padding and in fresh memory never reaches a parameter, a moment or the norm.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "Each case runs twice, once with every allocation filled with NaN and once with zeros. Both runs "
        "must show equal bits everywhere, and the bits of the reference.",
    .bugs = {{"A padded buffer was walked with unpadded strides, and its uninitialised tail was summed into "
              "the next parameter.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8158"},
             {"The padding of a shard came from torch.empty and was never zeroed.",
              "https://github.com/deepspeedai/DeepSpeed/pull/3832"},
             {"The input of a reduce-scatter was padded for the world size instead of the group that reduced it.",
              "https://github.com/facebookresearch/fairscale/pull/907"}},
    .essential = {{"uneven"}},
    .features = {"uneven", "clip_active", "past_caches"},
    .needs = {"overflow skip: padding must not trigger it", "checkpoint: exported tensors hold numel elements"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {1, 2, 3};
  space.max_steps = 2;
  space.vary = {"block sizes", "buckets", "clipping", "loss"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  Case poisoned = c, zeroed = c;
  poisoned.poison_memory = true;
  zeroed.poison_memory = false;
  const Observations with_nan = trial.Observe(poisoned);
  if (auto finding = AgainstReference(trial, poisoned, with_nan)) return finding;
  return CompareRuns(poisoned, with_nan, zeroed, trial.Observe(zeroed), "what fresh memory holds, NaN or zeros");
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::padding_inertness
