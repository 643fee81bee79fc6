#include "conformance/contract/judging.hpp"

namespace zerocts::offload_copies {

const Clause kClause{
    .id = "C-ZERO-073",
    .name = "offload copies complete",
    .sentence =
        "Copies to the host are complete before the host reads, copies to the device before the device "
        "reads.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "The same case with and without offload; a device with delays and poisoned destinations shows who "
        "did not wait.",
    .bugs = {{"A stream was waited for that had nothing to do with the copy.",
              "https://github.com/NVIDIA/Megatron-LM/pull/3140"},
             {"A hook saw pinned memory before the copy into it.", "https://github.com/pytorch/pytorch/pull/180666"},
             {"A copy that did not block gave other results.",
              "https://github.com/facebookresearch/fairscale/pull/496"}},
    .essential = {{"offload"}},
    .features = {"offload", "multi_step", "past_caches"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kModel, GradientSource::kUniform, GradientSource::kIndexCoded});
  space.stages = {3};
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"tensor",  "block sizes", "buckets", "gradient sync", "overlap",
                "offload", "clipping",    "loss",    "steps read"};
  space.finish = UseModelWeights;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = AgainstReference(trial, c, ranks)) return finding;
  if (c.offload == Offload::kNone) return std::nullopt;
  Case other = c;
  other.offload = Offload::kNone;
  return CompareRuns(c, ranks, other, trial.Observe(other), "offload");
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::offload_copies
