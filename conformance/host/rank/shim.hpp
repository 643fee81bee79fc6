// The shim: one per rank process. Starts the rank's command, captures its output, survives it and says how it ended.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// Stays until the conductor says stop, the conductor or the launcher that started it is gone, or it is told to
/// terminate; then kills what is left of the command with all its descendants. Returns 0, so that a launcher does not
/// end the other ranks. `{rank}` and `{world_size}` in the command are replaced; its output goes to <group
/// folder>/rank<N>.log.
int RunShim(std::vector<std::string> command);

/// The same for a command that starts all ranks: they take from it who they are, and their outputs go to rank0.log.
int RunShimOfAllRanks(std::vector<std::string> command);

}  // namespace zerocts
