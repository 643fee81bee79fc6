// Failure detector: which ranks of a group are in which collective, told by the ranks themselves, for a transport that
// cannot say who is missing. A rank that waits for a while sends datagrams; calls that end soon send none.
#pragma once
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/comm/collective_call.hpp"
#include "impl/comm/communicator.hpp"
#include "impl/comm/group.hpp"

namespace zerocts::engine {

/// Used by one thread at a time. Datagrams (UDP) must pass between the hosts of the ranks; the join refuses when they
/// do not.
class Heartbeats {
 public:
  /// Collective: returns when this rank has heard from every other. `key` is this group's own in the store.
  Heartbeats(const CommunicatorSettings& settings, const Group& group, const std::string& key,
             const CollectiveCall& join);
  /// A rank that leaves takes no part in calls after those that it entered.
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  /// This rank begins a call, also one that it will not wait in.
  void Enter(const CollectiveCall& call);

  /// To be called again and again while this rank waits in that call. Throws CollectiveTimeout, naming ranks, when the
  /// deadline of the call has passed, and at once when a rank will never come.
  void Wait(const CollectiveCall& call);

  /// This rank takes no part in `sequence` any more, nor in what comes after.
  void Leave(uint64_t sequence);

 private:
  using Clock = CollectiveCall::Clock;

  struct Peer {
    uint64_t nonce = 0;
    std::vector<sockaddr_storage> addresses;  // any of them may be the one that arrives
    uint64_t in = 0;                          // the latest call that it said it waits in; 0: not heard from
    uint64_t gone = UINT64_MAX;               // it takes no part from this call on
  };

  void Publish(const CommunicatorSettings& settings, const std::string& key);
  void Learn(const CommunicatorSettings& settings, const std::string& key, const CollectiveCall& join);
  void AwaitFirstHeartbeats(const CollectiveCall& join);
  void Send(uint64_t in, uint64_t gone);
  void Receive();
  /// The sentence of a wait that did not end well. Ranks that came shortly before have not sent one yet: they are heard
  /// first.
  CollectiveTimeout WaitEnded(const CollectiveCall& call);
  bool AnyLeft(uint64_t sequence) const;
  Arrivals ArrivalsOf(uint64_t sequence) const;

  const Group& group_;
  int socket_ = -1;
  std::vector<Peer> peers_;  // by rank of the group; this rank's own has its nonce
  uint64_t in_ = 0;          // the call that this rank is in, or was in last
  Clock::time_point next_heartbeat_;
  bool left_ = false;
};

}  // namespace zerocts::engine
