#include "conformance/check/cost/memory.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::memory_estimate {

const Clause kClause{
    .id = "C-ZERO-103",
    .name = "memory estimate",
    .sentence = "What a rank holds is what it estimated before it held anything.",
    .fidelity = Fidelity::kBounded,
    .how =
        "Bytes by kind after the last step and at the peak, against the estimate from the settings and against "
        "what the host counted; bytes on the host against what the mode of offload keeps there. Tensor ranks hold "
        "their parts of parameters, gradients and states, and what they give each other for micro-batches of the size "
        "that they were told; a rank with an expert holds its share of that, too.",
    .bugs = {{"Reductions that were waited for in one group only left their buffers behind, step after step.",
              "https://github.com/ROCm/pytorch/pull/3501"},
             {"Every rank made the full model; running out of memory looked like a model too big.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8089"}},
    .essential = {{"memory_estimate"}},
    .features = {"offload", "mesh", "accumulation", "multi_step", "tensor", "expert_shards"},
    .needs = {"what other processes hold of the accelerator"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kIndexCoded};
  space.max_steps = 3;
  space.max_micro_batches = 3;
  space.vary = {"tensor",        "vocab_parallel", "sequence_parallel", "mesh",
                "gradient sync", "offload",        "kv_heads",          "experts"};
  space.finish = [](Case& c) {
    UseModelWeights(c);
    c.fidelity = Fidelity::kBounded;
    c.observe_memory = c.observe_memory_estimate = true;
  };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckMemoryEstimate(c, ranks, trial.evidence())) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::memory_estimate
