#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts::resume_exactness {

const Clause kClause{
    .id = "C-ZERO-080",
    .name = "resume exactness",
    .sentence =
        "A run that is saved after any step, loaded into a fresh engine and trained on ends with the "
        "bits of the run that was never interrupted.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "The fresh engine is opened with other initial values and the hyper-parameters of the first step. "
        "Parameters, masters, moments, norms, scales and losses are compared right after the load and in "
        "every later step; every stage, plan, mesh, offload, optimizer and precision that the subject "
        "declares.",
    .bugs = {{"Moments were dropped because the fresh optimizer had no state yet to load them into.",
              "https://github.com/KempnerInstitute/KempnerForge/pull/115"},
             {"Shards that ranks wrote at the same time were lost: zeros in the file.",
              "https://github.com/NVIDIA/Megatron-LM/issues/1053"},
             {"Groups differed between ranks, and the state of one parameter went to another.",
              "https://github.com/NVIDIA/Megatron-LM/commit/9a45638758"},
             {"On a mesh of replicas what was loaded was not what had been saved.",
              "https://github.com/pytorch/pytorch/issues/145978"}},
    .essential = {{"resume"}},
    .features = {"resume", "adamw", "momentum", "accumulation", "multi_group", "uneven", "random_gradients",
                 "model_on_text", "mesh", "offload", "buffer", "tied", "past_caches"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"block sizes",   "experts",      "momentum",         "hyper-parameter changes",
                "buffers",       "tied names",   "mixed precisions", "missing gradients",
                "sums",          "loss scaling", "buckets",          "mesh",
                "gradient sync", "overlap",      "offload",          "clipping",
                "loss",          "steps read"};
  space.checkpoint = CheckpointUse::kResume;
  space.keep = HasNoEmptyGroup;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    UseModelWeights(c);
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::resume_exactness
