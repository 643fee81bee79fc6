#include "conformance/contract/judging.hpp"

namespace zerocts::buffers {

const Clause kClause{
    .id = "C-ZERO-064",
    .name = "buffers",
    .sentence =
        "Buffers keep their values and their dtype on every rank; no step, decay or rounding of others "
        "reaches them.",
    .fidelity = Fidelity::kBitwise,
    .how = "Buffers of both dtypes between parameters, read back on every rank after every step.",
    .bugs = {{"Buffers were broadcast on every micro-batch.",
              "https://github.com/facebookresearch/fairscale/pull/1075"},
             {"Buffers were kept and saved in half precision.",
              "https://github.com/facebookresearch/fairscale/issues/442"}},
    .essential = {{"buffer"}},
    .features = {"buffer", "multi_step"},
    .needs = {"buffers that forward changes", "integers"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.max_steps = 3;
  space.vary = {"buffers", "mixed precisions", "mesh", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::buffers
