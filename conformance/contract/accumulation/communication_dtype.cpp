#include "conformance/contract/judging.hpp"

namespace zerocts::communication_dtype {

const Clause kClause{
    .id = "C-ZERO-023",
    .name = "communication dtype",
    .sentence = "The declared dtype travels, and values are rounded at the declared places only.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Random gradients, reductions declared in fp32 and in bf16, with and without replicas; every bit of "
        "the mean is compared.",
    .bugs = {{"An option for half precision reductions gave wrong results and was removed.",
              "https://github.com/facebookresearch/fairscale/pull/521"},
             {"The dtype of the raw gradient chose the bucket it travelled in.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8038"},
             {"A cast for a broadcast returned a new tensor that nobody kept.",
              "https://github.com/facebookresearch/fairscale/pull/795"}},
    .essential = {{"bf16_reduction"}},
    .features = {"bf16_reduction", "random_gradients", "past_caches"},
    .needs = {"fp16"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kUniform});
  space.vary = {"block sizes", "sums", "mesh", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::communication_dtype
