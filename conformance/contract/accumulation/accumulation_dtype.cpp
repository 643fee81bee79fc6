#include "conformance/contract/judging.hpp"

namespace zerocts::accumulation_dtype {

const Clause kClause{
    .id = "C-ZERO-021",
    .name = "accumulation dtype",
    .sentence =
        "Sums over micro-batches are kept in the declared precision: what bf16 would absorb is there "
        "in fp32.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Random gradients over many exponents, up to four micro-batches, sums declared in fp32 and in bf16; "
        "every bit of the mean is compared.",
    .bugs = {{"Gradients were rounded to bf16 although fp32 reduction was asked for.",
              "https://github.com/NVIDIA/Megatron-LM/pull/6624"},
             {"Partial sums of hybrid shard were rounded after every micro-batch.",
              "https://github.com/pytorch/pytorch/pull/194628"},
             {"bf16 gradients were accumulated in bf16.", "https://github.com/deepspeedai/DeepSpeed/issues/1800"}},
    .essential = {{"accumulation"}, {"bf16", "bf16_accumulation"}},
    .features = {"bf16", "accumulation", "bf16_accumulation"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform};
  space.plain_update = true;
  space.initial = InitialValues::kUniform;
  space.max_micro_batches = 4;
  space.vary = {"sums", "gradient sync", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::accumulation_dtype
