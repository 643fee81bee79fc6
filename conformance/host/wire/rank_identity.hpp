// Who am I among the ranks? From the variables that launchers set.
#pragma once

namespace zerocts {

struct RankIdentity {
  int rank = 0, world_size = 1;
};

/// ZEROCTS_RANK and ZEROCTS_WORLD_SIZE, else what torchrun, Open MPI, Slurm or PMI set. Throws HarnessError when there
/// is none, or one that is no number.
RankIdentity IdentityFromEnvironment();

}  // namespace zerocts
