#include "conformance/contract/judging.hpp"

namespace zerocts::divide_group {

const Clause kClause{
    .id = "C-ZERO-015",
    .name = "divide group, reduce group",
    .sentence =
        "The gradient of a parameter that some ranks alone have is the sum over those ranks, divided by the "
        "W * K micro-batches of all, or by those of its own ranks where that is declared; norm, clipping and skipped "
        "steps are those of all parameters.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Parameters of E experts, of which rank r has those of expert r mod E, beside dense ones. Micro-batches "
        "of other ranks give them no gradient. With one expert for each rank, and with several ranks for each, "
        "which are no neighbours, in one sharding group or in each of several replicas; a reference without shards "
        "adds those that are there. A model on text has them in "
        "a layer: the data of rank r goes through expert r mod E, so there is no gate and no token is sent.",
    .bugs = {{"Expert gradients were divided by the ranks of the expert, and were as many times too large as there are "
              "experts.",
              "https://github.com/deepspeedai/DeepSpeed/pull/6546"},
             {"Expert gradients were scaled by one over the number of experts where tensor ranks of both kinds differ.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5956"},
             {"The call that scales expert gradients was commented out.",
              "https://github.com/huggingface/nanotron/commit/2dd40d35"},
             {"Partitions of experts were of the size that the whole world would give them.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5681"},
             {"The dense groups decided which expert gradients count in the norm.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5916"}},
    .essential = {{"experts"}},
    .features = {"experts", "expert_groups", "expert_shards", "expert_beside_dense", "accumulation", "clip_active",
                 "overflow", "expert_layer", "expert_mesh", "expert_divisor"},
    .needs = {"experts beside tensor ranks"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot, GradientSource::kUniform,
                     GradientSource::kModel};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kLamb};
  space.initial = InitialValues::kUniform;
  space.vary = {"experts",    "gradient sync", "clipping", "clip norm", "loss scaling", "missing gradients",
                "tied names", "buckets",       "sums",     "loss",      "mesh"};
  space.finish = UseModelWeights;
  space.keep = [](const Case& c) { return c.world_size() == 1 || !c.experiment.experts.parameters.empty(); };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::divide_group
