// Which ranks of a group share a host.
#pragma once
#include <array>
#include <vector>

#include "impl/comm/group.hpp"

namespace zerocts::engine {

/// Which kernel runs, and in which spaces of process numbers and of users this process is, as text: ranks for which it
/// is the same can open each other's memory, as comm shm does.
using HostIdentity = std::array<char, 128>;

/// Throws std::runtime_error where /proc does not say.
HostIdentity IdentityOfThisHost();

struct Hosts {
  std::vector<int> host_of;             // [group size]; hosts are numbered by their first rank
  std::vector<std::vector<int>> ranks;  // of each host, of the group, ascending

  int count() const { return static_cast<int>(ranks.size()); }
};

/// Which rank of host `to` receives the parts of `owner`, a rank of another host: its position in ranks[to]. The owners
/// of one host, and those of hosts of one rank, have gateways in turn.
int GatewayOf(const Hosts& hosts, int owner, int to);

/// Ranks with equal labels share a host.
Hosts HostsByLabel(const std::vector<int>& label_of);

/// As if the first host had the first ranks_per_host[0] ranks of the world, the next one ranks_per_host[1], and so on;
/// the last number holds for all further hosts. Throws std::invalid_argument unless each is at least 1.
Hosts PretendedHosts(const Group& group, const std::vector<int>& ranks_per_host);

}  // namespace zerocts::engine
