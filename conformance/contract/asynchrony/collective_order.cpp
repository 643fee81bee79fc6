#include "conformance/contract/judging.hpp"

namespace zerocts::collective_order {

const Clause kClause{
    .id = "C-ZERO-072",
    .name = "collective order",
    .sentence =
        "All ranks of a group make the same collectives in the same order, whatever gradients they "
        "have, and end within the deadline.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Ranks with different missing gradients, ranks that own nothing, frozen parameters; a hang names "
        "the ranks that are missing.",
    .bugs = {{"The order in which gradients became ready differed between ranks.",
              "https://github.com/pytorch/pytorch/issues/64629"},
             {"A hook that refreshes weights ran on some ranks only.",
              "https://github.com/NVIDIA/Megatron-LM/pull/6336"}},
    .essential = {{"several_ranks"}, {"missing_some", "frozen", "empty_rank"}},
    .features = {"missing_some", "empty_rank"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.shapes = ShapeStyle::kDegenerate;
  space.vary = {"frozen parameters", "missing gradients", "buckets", "overlap", "loss", "steps read"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::collective_order
