#include "conformance/host/conductor/group_socket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/peer.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts {
namespace {

constexpr const char* kZapEndpoint = "inproc://zeromq.zap.01";
constexpr const char* kZapVersion = "1.0";
constexpr const char* kZapDomain = "zerocts";
constexpr const char *kAdmitted = "200", *kRefused = "400";
/// Frames of a question: version, request, domain, address, routing id, mechanism, name, secret.
enum ZapFrame { kVersion, kRequest, kDomain, kAddress, kRoutingId, kMechanism, kName, kSecret, kZapFrames };

constexpr int64_t kLargestMessageBytes = int64_t{4} << 30;
constexpr const char* kEventsEndpoint = "inproc://connections";

std::atomic<int64_t> all_turned_away{0};

zmq::socket_t Router(zmq::context_t& context) {
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::maxmsgsize, kLargestMessageBytes);
  return socket;
}

/// The name that the sender of a message has proven.
std::string_view ProvenName(const Received& received) {
  const char* name = zmq_msg_gets(const_cast<zmq_msg_t*>(received.back().handle()), "User-Id");
  return name ? name : "";
}

}  // namespace

Admission::Admission(zmq::context_t& context, int ranks, int shims)
    : ranks_(ranks),
      shims_(shims),
      rank_secret_(NewSecret()),
      shim_secret_(NewSecret()),
      questions_(context, zmq::socket_type::rep) {
  questions_.set(zmq::sockopt::linger, 0);
  questions_.bind(kZapEndpoint);
}

void Admission::Guard(zmq::socket_t& router) const {
  router.set(zmq::sockopt::plain_server, true);
  router.set(zmq::sockopt::zap_domain, kZapDomain);
}

void Admission::Answer() {
  for (Received question; !(question = ReceiveReadyFrames(questions_)).empty();) {
    const FrameViews frames = ViewsOf(question);
    const bool plain = frames.size() == kZapFrames && frames[kMechanism] == "PLAIN";
    const std::string refusal =
        plain ? RefusalOf(frames[kName], frames[kSecret]) : "a peer came without the group's secret";
    if (first_refusal_.empty()) first_refusal_ = refusal;
    const std::string request(frames.size() > kRequest ? frames[kRequest] : "");
    const std::string name(refusal.empty() ? frames[kName] : "");
    SendFrames(questions_, {kZapVersion, request, refusal.empty() ? kAdmitted : kRefused, "", name, ""});
  }
}

std::string Admission::RefusalOf(std::string_view name, std::string_view secret) const {
  const std::optional<Peer> peer = Peer::Named(name);
  if (!peer || peer->number >= (peer->role == Peer::Role::kRank ? ranks_ : shims_)) {
    return fmt::format("a peer called itself \"{}\", expected rank-N with N below {}", ShownBytes(name), ranks_);
  }
  if (secret != secret_of(peer->role)) return fmt::format("a peer called {} came without the group's secret", name);
  if (heard_.contains(peer->Name())) return fmt::format("a second peer called itself {}", name);
  return "";
}

int64_t StrangersTurnedAway() { return all_turned_away; }

GroupSocket::GroupSocket(std::string address, int ranks, int shims)
    : address_(std::move(address)),
      admission_(context_, ranks, shims),
      connections_(context_, zmq::socket_type::pair),
      router_(Router(context_)) {
  admission_.Guard(router_);
  connections_.set(zmq::sockopt::linger, 0);
  connections_.set(zmq::sockopt::rcvhwm, 0);  // libzmq waits for room
  zmq_socket_monitor(router_.handle(), kEventsEndpoint,
                     ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
  connections_.connect(kEventsEndpoint);
  try {
    router_.bind(address_);
  } catch (const zmq::error_t& error) {
    throw HarnessError(
        fmt::format("socket {}: {}; set TMPDIR to a folder with a shorter path", address_, std::strerror(error.num())));
  }
}

GroupSocket::~GroupSocket() {
  zmq_socket_monitor(router_.handle(), nullptr, 0);
  CountConnections();
  all_turned_away += turned_away();
}

std::vector<std::pair<std::string, std::string>> GroupSocket::Variables() const {
  return {{kConductorVariable, address_},
          {kGroupSecretVariable, admission_.secret_of(Peer::Role::kRank)},
          {kShimSecretVariable, admission_.secret_of(Peer::Role::kShim)}};
}

std::optional<GroupSocket::Message> GroupSocket::Receive(SteadyTime until) {
  for (;;) {
    admission_.Answer();
    CountConnections();
    if (std::optional<Message> message = Ready()) return message;
    zmq_pollitem_t items[] = {{router_.handle(), 0, ZMQ_POLLIN, 0},
                              {admission_.questions().handle(), 0, ZMQ_POLLIN, 0},
                              {connections_.handle(), 0, ZMQ_POLLIN, 0}};
    if (zmq_poll(items, std::size(items), MillisecondsTo(until).count()) <= 0 &&
        std::chrono::steady_clock::now() >= until)
      return std::nullopt;
  }
}

/// What comes under another routing id than its sender's name is dropped.
std::optional<GroupSocket::Message> GroupSocket::Ready() {
  for (Received received; !(received = ReceiveReadyFrames(router_)).empty(); ++misnamed_) {
    const std::string_view name = ProvenName(received);
    const std::optional<Peer> peer = Peer::Named(name);
    if (!peer || received[0].to_string_view() != name) continue;
    admission_.NoteSpeaker(*peer);
    return Message{*peer, std::move(received)};
  }
  return std::nullopt;
}

void GroupSocket::CountConnections() {
  for (Received event; !(event = ReceiveReadyFrames(connections_)).empty();) {
    uint16_t kind = 0;
    if (event[0].size() >= sizeof(kind)) std::memcpy(&kind, event[0].data(), sizeof(kind));
    accepted_ += kind == ZMQ_EVENT_ACCEPTED;
    admitted_ += kind == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    left_early_ += kind == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
  }
}

int64_t GroupSocket::turned_away() const {
  const int64_t own_to_come = std::max<int64_t>(0, admission_.peers() - admitted_);
  return std::max<int64_t>(0, unproven() - left_early_ - own_to_come);
}

std::string GroupSocket::Strangers() const {
  if (unproven() == 0) return "";
  std::string first = admission_.first_refusal();
  if (first.empty() && misnamed_) first = "a peer has another routing id than the name that it proves";
  if (first.empty()) first = "a peer came without the group's secret";
  return fmt::format("; {} (a rank gives its name and {}, as rank_protocol.md says under Transport)", first,
                     kGroupSecretVariable);
}

}  // namespace zerocts
