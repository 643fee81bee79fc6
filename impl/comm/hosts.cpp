#include "impl/comm/hosts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace zerocts::engine {
namespace {

constexpr const char* kBoot = "/proc/sys/kernel/random/boot_id";  // drawn when the kernel starts

}  // namespace

HostIdentity IdentityOfThisHost() {
  std::string text;
  std::getline(std::ifstream(kBoot), text);
  if (text.empty())
    throw std::runtime_error(std::string("comm shm+mpi: cannot tell hosts apart: ") + kBoot + " is not to be read");
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/user"}) {
    text += ' ' + std::filesystem::read_symlink(space).string();
  }
  HostIdentity identity = {};
  if (text.size() > identity.size())
    throw std::runtime_error("comm shm+mpi: cannot tell hosts apart by '" + text +
                             "': expected at most 128 characters");
  std::ranges::copy(text, identity.begin());
  return identity;
}

int GatewayOf(const Hosts& hosts, int owner, int to) {
  const int from = hosts.host_of[owner];
  const std::vector<int>& neighbours = hosts.ranks[from];
  const auto index = std::find(neighbours.begin(), neighbours.end(), owner) - neighbours.begin();
  return static_cast<int>((from + index) % std::ssize(hosts.ranks[to]));
}

Hosts HostsByLabel(const std::vector<int>& label_of) {
  Hosts hosts;
  std::map<int, int> number_of;  // label -> host
  for (int rank = 0; rank < static_cast<int>(label_of.size()); ++rank) {
    const auto [entry, first] = number_of.emplace(label_of[rank], hosts.count());
    if (first) hosts.ranks.emplace_back();
    hosts.ranks[entry->second].push_back(rank);
    hosts.host_of.push_back(entry->second);
  }
  return hosts;
}

Hosts PretendedHosts(const Group& group, const std::vector<int>& ranks_per_host) {
  if (ranks_per_host.empty() || *std::min_element(ranks_per_host.begin(), ranks_per_host.end()) < 1) {
    throw std::invalid_argument(fmt::format("ranks_per_host is {}: expected numbers from 1 on, such as 2 or 2,3",
                                            fmt::join(ranks_per_host, ",")));
  }
  std::vector<int> label_of;
  int host = 0, end = ranks_per_host[0];  // of the host's ranks
  for (const int of_world : group.members) {
    while (of_world >= end) {
      ++host;
      end += ranks_per_host[std::min<size_t>(host, ranks_per_host.size() - 1)];
    }
    label_of.push_back(host);
  }
  return HostsByLabel(label_of);
}

}  // namespace zerocts::engine
