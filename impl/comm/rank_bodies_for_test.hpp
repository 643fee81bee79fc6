// What every backend must do, as bodies of one rank. The same bodies run on threads, on forked processes and under
// mpirun.
#pragma once
#include "impl/comm/communicator.hpp"

namespace zerocts {

/// Each collective against a plain evaluation, over odd, empty and long pieces. Throws std::runtime_error at the first
/// wrong value.
void CheckCollectives(Communicator& comm, Device& device);

/// Many tiny collectives in a row with ranks that are slow in turn: nobody may overtake. Throws likewise.
void CheckNobodyOvertakes(Communicator& comm);

}  // namespace zerocts
