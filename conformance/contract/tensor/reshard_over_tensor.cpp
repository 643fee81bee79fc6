#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"

namespace zerocts::reshard_over_tensor {

const Clause kClause{
    .id = "C-ZERO-127",
    .name = "reshard over tensor ranks",
    .sentence =
        "What one number of tensor ranks saved, another number loads, or ranks with whole layers: each has its part of "
        "the same logical state, from which it trains on.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Two runs of an MLP or a GPT. Ranks whose layers are split save after a step and are themselves compared to "
        "the end. Then as many ranks train on the same data with layers that are split by another number, or whole. "
        "They open fresh engines with other initial values, and load; parameters, masters and moments are compared, "
        "and every step that they go on with.",
    .bugs = {{"The optimizer came back with the wrong state, without a word.",
              "https://github.com/huggingface/transformers/pull/48569"},
             {"Ranks with whole layers found no optimizer state in what two tensor ranks had saved.",
              "https://github.com/huggingface/nanotron/issues/106"},
             {"A vocabulary that tensor ranks did not divide was saved with its padding.",
              "https://github.com/hpcaitech/ColossalAI/issues/6167"}},
    .essential = {{"loaded_by_split", "loaded_by_whole"}},
    .features = {"loaded_by_split", "loaded_by_whole", "tensor_shards", "tensor_vocab", "grouped_queries", "adamw"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space = SplitModels();
  space.vary.insert("kv_heads");
  space.initial = InitialValues::kUniform;
  space.checkpoint = CheckpointUse::kReshard;
  space.keep = [](const Case& c) { return c.tensor > 1; };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeResharded);

}  // namespace zerocts::reshard_over_tensor
