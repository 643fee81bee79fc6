#include "conformance/contract/judging.hpp"

namespace zerocts::mixed_dtypes {

const Clause kClause{
    .id = "C-ZERO-024",
    .name = "mixed dtypes",
    .sentence = "Parameters of several dtypes in one model are never cast through the dtype of another one.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how = "fp32 parameters beside bf16 ones, in either order, in small and large buckets.",
    .bugs = {{"A coalesced gather allocated every buffer in the dtype of the first parameter.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8073"},
             {"A fresh parameter of another dtype failed an assertion about uniform gradients.",
              "https://github.com/pytorch/pytorch/issues/196996"}},
    .essential = {{"mixed_precisions"}},
    .features = {"mixed_precisions", "multi_step"},
    .needs = {"integers and fp8"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.max_steps = 3;
  space.vary = {"mixed precisions", "buckets", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::mixed_dtypes
