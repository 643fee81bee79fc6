// `zerocts worker`: the rank's end of the protocol.
#pragma once
#include <string>

namespace zerocts {

/// argv[0] is "worker". Returns the exit code.
///   worker --plugin PATH [--threads W]   hosts one rank, or W ranks as threads
///   worker -- CMD [ARGUMENT ..]          the shim: starts CMD for this rank and survives it (shim.hpp)
///   worker --all-ranks -- CMD ..         the same for a CMD that starts all ranks
int WorkerMain(int argc, char** argv);

/// Hosts ranks until the conductor says stop.
int HostRanks(const std::string& plugin_path, int threads);

}  // namespace zerocts
