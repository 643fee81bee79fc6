// The conductor's end of a group's messages: it hears only whom the group started.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "conformance/host/conductor/admission.hpp"
#include "conformance/host/system/steady_time.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/peer.hpp"

namespace zerocts {

/// By the sockets of this process that are closed.
int64_t StrangersTurnedAway();

class GroupSocket {
 public:
  /// Throws HarnessError.
  GroupSocket(std::string address, int ranks, int shims);
  ~GroupSocket();
  GroupSocket(const GroupSocket&) = delete;
  GroupSocket& operator=(const GroupSocket&) = delete;

  /// What shims need in their environment to come in, and to let their ranks in.
  std::vector<std::pair<std::string, std::string>> Variables() const;

  struct Message {
    Peer from;
    Received received;
    FrameViews frames() const { return ViewsOf(received, 1); }
  };
  /// Waits until `until`; nothing: nobody of the group said anything.
  std::optional<Message> Receive(SteadyTime until);
  /// A peer that is not there any more misses it.
  void Send(const Peer& peer, const Frames& frames) { SendFramesTo(router_, peer.Name(), frames); }

  /// "; a peer called rank-0 came without ..": for an error about who does not come. "" when there was no stranger.
  std::string Strangers() const;

 private:
  std::optional<Message> Ready();
  void CountConnections();
  int64_t turned_away() const { return accepted_ - admitted_ + misnamed_; }

  const std::string address_;
  zmq::context_t context_;
  Admission admission_;
  zmq::socket_t connections_;  // what happens to them
  zmq::socket_t router_;
  int64_t accepted_ = 0, admitted_ = 0;  // connections
  int64_t misnamed_ = 0;                 // messages under another routing id than the proven name
};

}  // namespace zerocts
