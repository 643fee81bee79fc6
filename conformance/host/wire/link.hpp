// Messages of the protocol over ZeroMQ sockets.
#pragma once
#include <string>
#include <vector>
#include <zmq.hpp>

#include "conformance/host/wire/peer.hpp"
#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

void SendFrames(zmq::socket_t& socket, const Frames& frames);
/// To one of the peers of a ROUTER. A peer that is not there any more misses it.
void SendFramesTo(zmq::socket_t& router, const std::string& peer, const Frames& frames);

using Received = std::vector<zmq::message_t>;
/// Waits.
Received ReceiveFrames(zmq::socket_t& socket);
/// Does not wait; empty: nothing came.
Received ReceiveReadyFrames(zmq::socket_t& socket);
FrameViews ViewsOf(const Received& received, size_t first = 0);

/// A DEALER under the peer's name, connected. What was sent is still delivered for a moment after it was closed.
zmq::socket_t ConnectToConductor(zmq::context_t& context, const Peer& peer);

}  // namespace zerocts
