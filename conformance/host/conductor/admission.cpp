#include "conformance/host/conductor/admission.hpp"

#include <fmt/format.h>

#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/secret.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts {

namespace {

constexpr const char* kZapEndpoint = "inproc://zeromq.zap.01";
constexpr const char* kZapVersion = "1.0";
constexpr const char* kZapDomain = "zerocts";
constexpr const char *kAdmitted = "200", *kRefused = "400";
/// Frames of a question: version, request, domain, address, routing id, mechanism, name, secret.
enum ZapFrame { kVersion, kRequest, kDomain, kAddress, kRoutingId, kMechanism, kName, kSecret, kZapFrames };

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

}  // namespace zerocts
