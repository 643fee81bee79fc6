// What every backend must do when ranks are in several groups, as bodies of one rank.
#pragma once
#include <string>

#include "impl/comm/communicator.hpp"
#include "impl/comm/hosts.hpp"

namespace zerocts::engine {

/// The ranks that are on pretended hosts in `settings`; without these all are on one.
Hosts HostsOf(const CommunicatorSettings& settings);

/// Rows and columns of a 2 x 3 mesh beside the world, all at work at once. `settings` is of the world. Throws
/// std::runtime_error at the first wrong value.
void CheckGroupsOfAMesh(const std::string& backend, const CommunicatorSettings& settings);

/// Two groups of the same ranks, each at work on a thread of its own. Throws as above.
void CheckTwins(const std::string& backend, const CommunicatorSettings& settings);

}  // namespace zerocts::engine
