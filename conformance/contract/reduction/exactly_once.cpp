#include "conformance/contract/judging.hpp"

namespace zerocts::exactly_once {

const Clause kClause{
    .id = "C-ZERO-012",
    .name = "exactly-once reduction",
    .sentence =
        "A contribution enters the reduction once, after the last use of its parameter in backward, "
        "however often the parameter is used.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Models whose head and embedding share a weight, tied names, one-hot contributions; the mean must "
        "hold each use exactly once.",
    .bugs = {{"With a submodule used twice per step, gradients were reduced after the first use.",
              "https://github.com/deepspeedai/DeepSpeed/issues/8224"},
             {"A shared weight under activation checkpointing was reduced once per use.",
              "https://github.com/deepspeedai/DeepSpeed/issues/988"}},
    .essential = {{"model_on_text", "tied"}},
    .features = {"model_on_text", "tied", "one_hot", "past_caches"},
    .needs = {"recomputation (activation checkpointing)", "several backward passes per micro-batch"},
    .revision = 5,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kOneHot, GradientSource::kUniform};
  space.initial = InitialValues::kUniform;
  space.vary = {"tensor", "block sizes", "tied names", "gradient sync", "loss"};
  space.finish = UseModelWeights;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::exactly_once
