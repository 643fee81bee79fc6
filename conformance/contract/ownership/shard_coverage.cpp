#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts::shard_coverage {

const Clause kClause{
    .id = "C-ZERO-001",
    .name = "shard coverage",
    .sentence =
        "Every element of every parameter has exactly one owner among the ranks, and its owner updates "
        "it exactly once per step.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        std::string("The intervals that the ranks report must tile every parameter. Then, with SGD, lr = 1 and a "
                    "gradient in which every element has an integer code of its own, each element must move by exactly "
                    "its code: an element that stands still has no owner, one that moves twice has two, one that moves "
                    "by another element's code was put in the wrong place.") +
        kMovesWithoutSgd,
    .bugs = {{"The partition length of a group came from the world size instead of the group's own size, so "
              "its tail had no owner.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5681"},
             {"The layout was made for more shards than the collective had ranks, and the last shards belonged "
              "to nobody.",
              "https://github.com/NVIDIA/Megatron-LM/pull/6048"},
             {"The intersection of a tensor with a shard used >= where > was right and touched memory beside "
              "the shard.",
              "https://github.com/karpathy/llm.c/pull/464"},
             {"The amount of padding was len % W instead of (-len) % W.",
              "https://github.com/KellerJordan/Muon/pull/28"},
             {"Sub-partitions after a reduce-scatter were stitched together in parameter order, not in the "
              "order they were sent.",
              "https://github.com/deepspeedai/DeepSpeed/pull/318"}},
    .essential = {{"several_ranks"}},
    .features = {"uneven", "boundary_inside", "boundary_on_edge"},
    .needs = {"sharding groups smaller than the world (hybrid shard)"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.stages = {1, 2, 3};
  space.plain_update = true;
  space.vary = {"experts"};
  space.finish = [](Case& c) { ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.lr = 1.0f; }); };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckMoves(c, ranks)) return finding;
  const bool moves_show = c.experiment.optimizer == OptimizerKind::kSgd;
  return AgainstReference(trial, c, ranks, {.parameters = !moves_show, .gradient = false, .norm = false});
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::shard_coverage
