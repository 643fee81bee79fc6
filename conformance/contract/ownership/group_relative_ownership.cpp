#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts::group_relative_ownership {

const Clause kClause{
    .id = "C-ZERO-002",
    .name = "group-relative ownership",
    .sentence =
        "Who owns which element follows from a rank's position in its sharding group and from the size of "
        "that group, never from the world.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        std::string("Meshes of several replicas. Within each replica the intervals must tile every parameter, and each "
                    "element must move by its own code on every rank.") +
        kMovesWithoutSgd,
    .bugs = {{"The partition of a group was copied by the index of another group.",
              "https://github.com/deepspeedai/DeepSpeed/pull/2058"},
             {"Partition sizes of expert groups came from the size of the whole world.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5681"},
             {"Broadcasts came from rank 0 of the world instead of rank 0 of the group.",
              "https://github.com/deepspeedai/DeepSpeed/pull/2999"}},
    .essential = {{"mesh"}},
    .features = {"mesh", "uneven"},
    .needs = {"groups that are not made of neighbouring ranks",
              "parameter groups on process groups of different sizes"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.stages = {1, 2, 3};
  space.plain_update = true;
  space.vary = {"mesh"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::group_relative_ownership
