// What every backend must do on memory that only the device reaches, as a body of one rank.
#pragma once
#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// Each collective once in each way that matters, on a stream of `device`, against a plain evaluation: every fold and
/// wire, equal and unequal parts, in place and not. Throws std::runtime_error at the first wrong value.
void CheckCollectivesOnDevice(Communicator& comm, Device& device);

/// Reduce-scatters of a backend that adds in the order `ring` alone, in the type on the wire. Throws as above.
void CheckRingSumsOnDevice(Communicator& comm, Device& device);

}  // namespace zerocts::engine
