// What every backend must do, as bodies of one rank. The same bodies run on threads, on forked processes and under
// mpirun.
#pragma once
#include <latch>

#include "impl/comm/communicator.hpp"
#include "impl/comm/hosts.hpp"

namespace zerocts::engine {

/// Each collective against a plain evaluation: every fold, wire and placement over odd, empty, several and long cuts,
/// on a stream that is late, and the bytes that each moves; `hosts`: where these depend on which ranks share a host.
/// Groups with another `seed` hold other values. Throws std::runtime_error at the first wrong value.
void CheckCollectives(Communicator& comm, uint64_t seed = 1, const Hosts& hosts = {});

/// Reduce-scatters of a backend that adds in the order `ring` alone, in the type on the wire, and counts no bytes of
/// them; the other collectives.
void CheckSumsInRingOrder(Communicator& comm);

/// Many tiny collectives in a row with ranks that are slow in turn: nobody may overtake. Throws as above.
void CheckNobodyOvertakes(Communicator& comm, DeviceStream& stream, int seed = 0);

/// Rank 1 of three stays away from the second of two barriers until the others have given up.
void BarrierWithoutRank1(Communicator& comm, std::latch& others_gave_up);

}  // namespace zerocts::engine
