#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts::no_leakage {

const Clause kClause{
    .id = "C-ZERO-014",
    .name = "no leakage between steps",
    .sentence = "The update of a step holds gradients of that step only.",
    .fidelity = Fidelity::kExactInputs,
    .how = std::string(
               "Several steps of SGD without momentum, each element's code different in each step: what an element "
               "moves by in step t must be the code of step t, in the second and later accumulation windows too.") +
           kMovesWithoutSgd,
    .bugs = {{"Zeroing gradients was tied to the ZeRO stages, so at stage 0 with bf16 they stayed.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7839"},
             {"The receive buffer of a gather was the gradient buffer and was not cleared.",
              "https://github.com/NVIDIA/Megatron-LM/pull/4609"},
             {"An owner's gradient of the step before, already reduced, was loaded and reduced once more.",
              "https://github.com/lodestone-rock/RamTorch/issues/13"}},
    .essential = {{"multi_step"}},
    .features = {"multi_step", "multi_window"},
    .needs = {"overflow skip: the gradients of a skipped step",
              "missing gradients: sets of used parameters that change"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.plain_update = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"buckets"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::no_leakage
