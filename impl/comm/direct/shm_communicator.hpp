// Shared memory for a transport that reads its peers' memory itself.
#pragma once
#include <memory>

#include "impl/comm/direct/communicator.hpp"

namespace zerocts::engine {

/// As MakeShmCommunicator.
std::unique_ptr<DirectCommunicator> MakeSharedMemory(const CommunicatorSettings& settings);

}  // namespace zerocts::engine
