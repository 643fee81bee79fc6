// The conductor's end of a group's messages: it hears only whom the group started.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "conformance/host/system/steady_time.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/peer.hpp"

namespace zerocts {

/// Who may speak to the conductor of a group: its ranks and shims, each under its own name and with the secret of its
/// kind. Answers for one context of ZeroMQ, by its protocol of authentication (ZAP, RFC 27), before anything that a
/// peer says is read.
class Admission {
 public:
  Admission(zmq::context_t& context, int ranks, int shims);

  /// Requires name and secret (PLAIN) from every connection; before it is bound.
  void Guard(zmq::socket_t& router) const;
  /// Answers all who wait for it.
  void Answer();
  /// It has spoken: nobody else comes in under its name.
  void NoteSpeaker(const Peer& peer) { heard_.insert(peer.Name()); }

  zmq::socket_t& questions() { return questions_; }
  const std::string& secret_of(Peer::Role role) const {
    return role == Peer::Role::kRank ? rank_secret_ : shim_secret_;
  }
  int peers() const { return ranks_ + shims_; }
  /// Why the first one was refused; "" when nobody was.
  const std::string& first_refusal() const { return first_refusal_; }

 private:
  /// "" for a peer of the group.
  std::string RefusalOf(std::string_view name, std::string_view secret) const;

  const int ranks_, shims_;
  const std::string rank_secret_, shim_secret_;  // a rank has no part in what its shim says
  zmq::socket_t questions_;
  std::set<std::string> heard_;
  std::string first_refusal_;
};

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
  int64_t unproven() const { return accepted_ - admitted_ + misnamed_; }
  /// Less those who may be peers of the group that it has ended before they had proven it.
  int64_t turned_away() const;

  const std::string address_;
  zmq::context_t context_;
  Admission admission_;
  zmq::socket_t connections_;  // what happens to them
  zmq::socket_t router_;
  int64_t accepted_ = 0, admitted_ = 0;  // connections
  int64_t left_early_ = 0;               // connections that ended before they had proven anything
  int64_t misnamed_ = 0;                 // messages under another routing id than the proven name
};

}  // namespace zerocts
