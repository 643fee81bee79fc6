#include "impl/comm/nccl/heartbeats.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "impl/comm/store.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSilence{20};  // a call that ends within it tells nobody anything
constexpr milliseconds kEvery{50};    // between two heartbeats of a rank that waits
constexpr milliseconds kGrace{150};   // at the end of a wait, for heartbeats of ranks that came shortly before it
constexpr milliseconds kBeatNap{5};
constexpr int kMostAddresses = 16, kFarewells = 3;

/// What a rank publishes. IPv4: what NCCL's own sockets use unless they are told otherwise.
struct Address {
  uint64_t nonce;
  uint16_t port;  // in network order, as the addresses
  uint16_t count;
  in_addr_t at[kMostAddresses];
};

struct Heartbeat {
  uint64_t nonce;     // the sender's
  uint64_t in, gone;  // as in Heartbeats::Peer
  int32_t rank;       // of the group
  int32_t padding = 0;
};

[[noreturn]] void Fail(const char* call) {
  throw std::runtime_error(fmt::format("heartbeats: {}: {}", call, std::strerror(errno)));
}

/// The loopback first, then addresses that other hosts can reach.
void AddAddresses(Address& address) {
  const auto add = [&](in_addr_t at) {
    if (address.count < kMostAddresses) address.at[address.count++] = at;
  };
  add(htonl(INADDR_LOOPBACK));
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) Fail("getifaddrs");
  for (const ifaddrs* i = interfaces; i; i = i->ifa_next) {
    const bool usable = i->ifa_addr && i->ifa_addr->sa_family == AF_INET && (i->ifa_flags & IFF_UP) != 0;
    if (!usable || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    add(reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr);
  }
  freeifaddrs(interfaces);
}

}  // namespace

Heartbeats::Heartbeats(const CommunicatorSettings& settings, const Group& group, const std::string& key,
                       const CollectiveCall& join)
    : group_(group), peers_(static_cast<size_t>(group.size())) {
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) Fail("socket");
  try {
    Publish(settings, key);
    Learn(settings, key, join);
    AwaitFirstHeartbeats(join);
  } catch (...) {
    Leave(join.sequence());
    close(socket_);
    throw;
  }
}

Heartbeats::~Heartbeats() {
  Leave(in_ + 1);
  close(socket_);
}

void Heartbeats::Publish(const CommunicatorSettings& settings, const std::string& key) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&any), size) != 0) Fail("bind");
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&any), &size) != 0) Fail("getsockname");
  Address mine{RandomNonce(), any.sin_port, 0, {}};
  AddAddresses(mine);
  peers_[group_.rank].nonce = mine.nonce;
  SetValue(settings.store, fmt::format("{}.rank{}", key, group_.rank), mine);
}

void Heartbeats::Learn(const CommunicatorSettings& settings, const std::string& key, const CollectiveCall& join) {
  Arrivals arrivals{{group_.rank}, {}, {}};
  for (int rank = 0; rank < group_.size(); ++rank) {
    if (rank == group_.rank) continue;
    Address address;
    try {
      address = GetValue<Address>(settings.store, fmt::format("{}.rank{}", key, rank));
    } catch (const CollectiveTimeout&) {
      arrivals.missing = {rank};
      throw join.Timeout(arrivals);
    }
    arrivals.arrived.push_back(rank);
    std::sort(arrivals.arrived.begin(), arrivals.arrived.end());
    peers_[rank].nonce = address.nonce;
    for (int i = 0; i < address.count; ++i) {
      auto& to = reinterpret_cast<sockaddr_in&>(peers_[rank].addresses.emplace_back());
      to.sin_family = AF_INET;
      to.sin_port = address.port;
      to.sin_addr.s_addr = address.at[i];
    }
  }
}

/// All have come, since all are in the store: so a heartbeat that does not arrive is a matter of the network.
void Heartbeats::AwaitFirstHeartbeats(const CollectiveCall& join) {
  Enter(join);
  for (;;) {
    Send(in_, UINT64_MAX);
    Receive();
    const std::vector<int> silent = ArrivalsOf(in_).missing;
    if (silent.empty()) return;
    if (AnyLeft(in_)) throw WaitEnded(join);
    if (join.expired()) {
      throw std::runtime_error(
          fmt::format("{}: no datagram of rank {} arrived here, though it has come; expected UDP to pass between the "
                      "hosts of the ranks",
                      join.name(), group_.members[silent.front()]));
    }
    std::this_thread::sleep_for(kBeatNap);
  }
}

void Heartbeats::Enter(const CollectiveCall& call) {
  in_ = call.sequence();
  next_heartbeat_ = Clock::now() + kSilence;
}

void Heartbeats::Wait(const CollectiveCall& call) {
  const auto now = Clock::now();
  if (now >= next_heartbeat_) {
    Send(in_, UINT64_MAX);
    Receive();
    next_heartbeat_ = now + kEvery;
  }
  if (call.expired() || AnyLeft(in_)) throw WaitEnded(call);
}

CollectiveTimeout Heartbeats::WaitEnded(const CollectiveCall& call) {
  for (const auto end = Clock::now() + kGrace; Clock::now() < end && !ArrivalsOf(in_).missing.empty();) {
    Send(in_, UINT64_MAX);
    std::this_thread::sleep_for(kBeatNap);
    Receive();
  }
  return call.Timeout(ArrivalsOf(in_));
}

void Heartbeats::Leave(uint64_t sequence) {
  if (std::exchange(left_, true)) return;
  for (int i = 0; i < kFarewells; ++i) Send(in_, sequence);
}

void Heartbeats::Send(uint64_t in, uint64_t gone) {
  const Heartbeat heartbeat{peers_[group_.rank].nonce, in, gone, group_.rank};
  for (const Peer& peer : peers_) {
    for (const sockaddr_storage& to : peer.addresses) {
      // Lost where it cannot be sent: said again, or by another way.
      sendto(socket_, &heartbeat, sizeof heartbeat, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to),
             sizeof(sockaddr_in));
    }
  }
}

void Heartbeats::Receive() {
  Heartbeat heartbeat;
  for (ssize_t bytes; (bytes = recv(socket_, &heartbeat, sizeof heartbeat, 0)) >= 0;) {
    const bool ours = bytes == sizeof heartbeat && heartbeat.rank >= 0 && heartbeat.rank < group_.size() &&
                      heartbeat.rank != group_.rank && heartbeat.nonce == peers_[heartbeat.rank].nonce;
    if (!ours) continue;
    Peer& peer = peers_[heartbeat.rank];
    peer.in = std::max(peer.in, heartbeat.in);
    peer.gone = std::min(peer.gone, heartbeat.gone);
  }
}

bool Heartbeats::AnyLeft(uint64_t sequence) const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) { return peer.gone <= sequence; });
}

Arrivals Heartbeats::ArrivalsOf(uint64_t sequence) const {
  Arrivals arrivals;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const bool came = rank == group_.rank || peers_[rank].in >= sequence;
    (came ? arrivals.arrived : arrivals.missing).push_back(rank);
    if (peers_[rank].gone <= sequence) arrivals.aborted.push_back(rank);
  }
  return arrivals;
}

}  // namespace zerocts::engine
