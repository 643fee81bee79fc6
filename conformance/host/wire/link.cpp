#include "conformance/host/wire/link.hpp"

#include <cerrno>
#include <cstdlib>

#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {

namespace {

constexpr int kLingerMilliseconds = 1000;

/// A signal may end an operation before it began, also one that does not wait.
template <typename Operation>
auto Uninterrupted(Operation operation) {
  for (;;) {
    try {
      return operation();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }
}

bool Send(zmq::socket_t& socket, const std::string& frame, zmq::send_flags flags) {
  return Uninterrupted([&] { return socket.send(zmq::buffer(frame), flags | zmq::send_flags::dontwait); }).has_value();
}

}  // namespace

void SendFrames(zmq::socket_t& socket, const Frames& frames) {
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto more = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    if (!Send(socket, frames[i], more)) return;
  }
}

void SendFramesTo(zmq::socket_t& router, const std::string& peer, const Frames& frames) {
  if (Send(router, peer, zmq::send_flags::sndmore)) SendFrames(router, frames);
}

Received ReceiveReadyFrames(zmq::socket_t& socket) {
  Received received;
  do {
    const auto flags = received.empty() ? zmq::recv_flags::dontwait : zmq::recv_flags::none;
    zmq::message_t& frame = received.emplace_back();
    if (!Uninterrupted([&] { return socket.recv(frame, flags); })) return {};
  } while (received.back().more());
  return received;
}

Received ReceiveFrames(zmq::socket_t& socket) {
  for (;;) {
    if (Received received = ReceiveReadyFrames(socket); !received.empty()) return received;
    zmq_pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};  // an interrupted wait is waited on
    zmq_poll(&item, 1, -1);
  }
}

FrameViews ViewsOf(const Received& received, size_t first) {
  FrameViews views;
  for (size_t i = first; i < received.size(); ++i) views.push_back(received[i].to_string_view());
  return views;
}

zmq::socket_t ConnectToConductor(zmq::context_t& context, const Peer& peer) {
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::routing_id, peer.Name());
  socket.set(zmq::sockopt::plain_username, peer.Name());
  socket.set(zmq::sockopt::plain_password,
             RequiredVariable(peer.role == Peer::Role::kRank ? kGroupSecretVariable : kShimSecretVariable));
  socket.set(zmq::sockopt::linger, kLingerMilliseconds);
  socket.set(zmq::sockopt::sndhwm, 0);
  socket.connect(RequiredVariable(kConductorVariable));
  return socket;
}

}  // namespace zerocts
