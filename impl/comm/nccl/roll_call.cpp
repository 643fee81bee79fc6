#include "impl/comm/nccl/roll_call.hpp"

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

#include "impl/comm/rendezvous.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSilence{20};  // a call that ends within it tells nobody anything
constexpr milliseconds kEvery{50};    // between two words of a rank that waits
constexpr milliseconds kGrace{150};   // at the end of a wait, for words of ranks that came shortly before it
constexpr milliseconds kNap{5};
constexpr int kMostAddresses = 16, kFarewells = 3;

/// What a rank publishes. IPv4: what NCCL's own sockets use unless they are told otherwise.
struct Address {
  uint64_t nonce;
  uint16_t port;  // in network order, as the addresses
  uint16_t count;
  in_addr_t at[kMostAddresses];
};

struct Word {
  uint64_t nonce;     // the sender's
  uint64_t in, gone;  // as in RollCall::Peer
  int32_t rank;       // of the group
  int32_t padding = 0;
};

[[noreturn]] void Fail(const char* call) {
  throw std::runtime_error(fmt::format("roll call: {}: {}", call, std::strerror(errno)));
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

RollCall::RollCall(const CommunicatorSettings& settings, const Group& group, const std::string& key,
                   const CollectiveCall& join)
    : group_(group), peers_(static_cast<size_t>(group.size())) {
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) Fail("socket");
  try {
    Publish(settings, key);
    Learn(settings, key, join);
    MeetAll(join);
  } catch (...) {
    GiveUp(join.sequence());
    close(socket_);
    throw;
  }
}

RollCall::~RollCall() {
  GiveUp(in_ + 1);
  close(socket_);
}

void RollCall::Publish(const CommunicatorSettings& settings, const std::string& key) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&any), size) != 0) Fail("bind");
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&any), &size) != 0) Fail("getsockname");
  Address mine{RandomNonce(), any.sin_port, 0, {}};
  AddAddresses(mine);
  peers_[group_.rank].nonce = mine.nonce;
  PutValue(settings.rendezvous, fmt::format("{}.rank{}", key, group_.rank), mine);
}

void RollCall::Learn(const CommunicatorSettings& settings, const std::string& key, const CollectiveCall& join) {
  Attendance attendance{{group_.rank}, {}, {}};
  for (int rank = 0; rank < group_.size(); ++rank) {
    if (rank == group_.rank) continue;
    Address address;
    try {
      address = GetValue<Address>(settings.rendezvous, fmt::format("{}.rank{}", key, rank));
    } catch (const CollectiveTimeout&) {
      attendance.missing = {rank};
      throw join.Timeout(attendance);
    }
    attendance.arrived.push_back(rank);
    std::sort(attendance.arrived.begin(), attendance.arrived.end());
    peers_[rank].nonce = address.nonce;
    for (int i = 0; i < address.count; ++i) {
      auto& to = reinterpret_cast<sockaddr_in&>(peers_[rank].addresses.emplace_back());
      to.sin_family = AF_INET;
      to.sin_port = address.port;
      to.sin_addr.s_addr = address.at[i];
    }
  }
}

/// All have come, since all are in the rendezvous: so a word that does not arrive is a matter of the network.
void RollCall::MeetAll(const CollectiveCall& join) {
  Enter(join);
  for (;;) {
    Speak(in_, UINT64_MAX);
    Listen();
    const std::vector<int> silent = AttendanceOf(in_).missing;
    if (silent.empty()) return;
    if (SomebodyIsGone(in_)) throw Ended(join);
    if (join.expired()) {
      throw std::runtime_error(
          fmt::format("{}: no datagram of rank {} arrived here, though it has come; expected UDP to pass between the "
                      "hosts of the ranks",
                      join.name(), group_.members[silent.front()]));
    }
    std::this_thread::sleep_for(kNap);
  }
}

void RollCall::Enter(const CollectiveCall& call) {
  in_ = call.sequence();
  next_word_ = Clock::now() + kSilence;
}

void RollCall::Wait(const CollectiveCall& call) {
  const auto now = Clock::now();
  if (now >= next_word_) {
    Speak(in_, UINT64_MAX);
    Listen();
    next_word_ = now + kEvery;
  }
  if (call.expired() || SomebodyIsGone(in_)) throw Ended(call);
}

CollectiveTimeout RollCall::Ended(const CollectiveCall& call) {
  for (const auto end = Clock::now() + kGrace; Clock::now() < end && !AttendanceOf(in_).missing.empty();) {
    Speak(in_, UINT64_MAX);
    std::this_thread::sleep_for(kNap);
    Listen();
  }
  return call.Timeout(AttendanceOf(in_));
}

void RollCall::GiveUp(uint64_t sequence) {
  if (std::exchange(left_, true)) return;
  for (int i = 0; i < kFarewells; ++i) Speak(in_, sequence);
}

void RollCall::Speak(uint64_t in, uint64_t gone) {
  const Word word{peers_[group_.rank].nonce, in, gone, group_.rank};
  for (const Peer& peer : peers_) {
    for (const sockaddr_storage& to : peer.addresses) {
      // Lost where it cannot be sent: said again, or by another way.
      sendto(socket_, &word, sizeof word, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), sizeof(sockaddr_in));
    }
  }
}

void RollCall::Listen() {
  Word word;
  for (ssize_t bytes; (bytes = recv(socket_, &word, sizeof word, 0)) >= 0;) {
    const bool ours = bytes == sizeof word && word.rank >= 0 && word.rank < group_.size() && word.rank != group_.rank &&
                      word.nonce == peers_[word.rank].nonce;
    if (!ours) continue;
    Peer& peer = peers_[word.rank];
    peer.in = std::max(peer.in, word.in);
    peer.gone = std::min(peer.gone, word.gone);
  }
}

bool RollCall::SomebodyIsGone(uint64_t sequence) const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) { return peer.gone <= sequence; });
}

Attendance RollCall::AttendanceOf(uint64_t sequence) const {
  Attendance attendance;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const bool came = rank == group_.rank || peers_[rank].in >= sequence;
    (came ? attendance.arrived : attendance.missing).push_back(rank);
    if (peers_[rank].gone <= sequence) attendance.gave_up.push_back(rank);
  }
  return attendance;
}

}  // namespace zerocts::engine
