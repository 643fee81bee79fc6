#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::split_layers {

const Clause kClause{
    .id = "C-ZERO-120",
    .name = "split layers",
    .sentence =
        "Layers that T tensor ranks split give losses, gradients, parameters and optimizer states with the bits of "
        "one process, alone and under ZeRO: a rank has its part of each, in its place, and a bias is added once.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "An MLP and a GPT on text, whose sums over what is split are those of slices(n) with T a divisor of n. Widths "
        "and the vocabulary need not be multiples of T, and ranks may have nothing of a layer. Heads of queries may "
        "share "
        "keys and values, which are then narrower than queries. The reference "
        "computes with whole layers; whatever a tensor rank owns must be of the part that the model gives it. Of a "
        "subject whose models are inexact, an MLP trained by SGD is within a derived bound of exact arithmetic.",
    .bugs = {{"The bias of a row-parallel layer was added by every tensor rank, before their sum.",
              "https://github.com/huggingface/text-generation-inference/issues/1036"},
             {"The same happened in a collective linear layer that was trained.",
              "https://github.com/PaddlePaddle/Paddle/pull/35186"},
             {"Q, K and V, packed into one weight, were cut as though it were one matrix.",
              "https://github.com/predibase/lorax/pull/120"},
             {"The sum over tensor ranks went into a copy, and partial sums were returned.",
              "https://github.com/NovaSky-AI/SkyRL/pull/1886"}},
    .essential = {{"tensor"}},
    .features = {"tensor", "tensor_uneven", "tensor_shards", "grouped_queries", "multi_step", "accumulation"},
    .needs = {"bytes that tensor ranks move"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space = SplitModelsOrBounded();
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kLamb};
  space.vary.insert({"kv_heads", "gradient sync", "overlap", "offload", "steps read"});
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) { return AgainstWholeLayers(trial, c, trial.Observe(c)); }

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::split_layers
