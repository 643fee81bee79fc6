// Who may speak to the conductor of a group: its ranks and shims, each under its own name and with the secret of its
// kind.
#pragma once
#include <set>
#include <string>
#include <zmq.hpp>

#include "conformance/host/wire/peer.hpp"

namespace zerocts {

/// Answers for one context of ZeroMQ, by its protocol of authentication (ZAP, RFC 27), before anything that a peer says
/// is read.
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

}  // namespace zerocts
