// Whether a transport that adds by itself adds in the order `ring`: found out by adding, since algorithms, topologies
// and versions differ.
#pragma once
#include <string>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// Collective; all ranks come to the same verdict. Throws Unimplemented, naming `library` and the ranks whose shards
/// are added otherwise. Equal parts, unequal parts, short and long ones, fp32 and bf16 are tried.
void RequireRingOrder(Communicator& comm, Device& device, const std::string& library);

}  // namespace zerocts::engine
