// Messages of the protocol over ZeroMQ sockets.
#pragma once
#include <chrono>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "conformance/host/peer.hpp"
#include "conformance/host/protocol.hpp"
#include "conformance/host/rendezvous.hpp"

namespace zerocts {

/// Where a rank or shim finds the conductor.
inline constexpr const char* kConductorVariable = "ZEROCTS_CONDUCTOR";         // address of its socket
inline constexpr const char* kConductorPidVariable = "ZEROCTS_CONDUCTOR_PID";  // whose end is everybody's end
inline constexpr const char* kGroupFolderVariable = "ZEROCTS_GROUP_FOLDER";    // pages and output of the ranks
inline constexpr const char* kGroupSecretVariable = "ZEROCTS_GROUP_SECRET";    // of the ranks of a group
inline constexpr const char* kShimSecretVariable = "ZEROCTS_SHIM_SECRET";      // of its shims
inline constexpr const char* kForkServerVariable =
    "ZEROCTS_FORK_SERVER";  // the socket of a process that forks ranks, for that process alone
inline constexpr const char* kDeviceVariable =
    "ZEROCTS_DEVICE";  // --device; for ranks that must know it before they say hello

void SendFrames(zmq::socket_t& socket, const Frames& frames);
/// To one of the peers of a ROUTER. A peer that is not there any more misses it.
void SendFramesTo(zmq::socket_t& router, const std::string& peer, const Frames& frames);

using Received = std::vector<zmq::message_t>;
/// Waits until `until`; empty: nothing came.
Received ReceiveFrames(zmq::socket_t& socket, SteadyTime until);
/// Does not wait.
Received ReceiveReadyFrames(zmq::socket_t& socket);
FrameViews ViewsOf(const Received& received, size_t first = 0);

/// A DEALER under the peer's name, connected. What was sent is still delivered for a moment after it was closed.
zmq::socket_t ConnectToConductor(zmq::context_t& context, const Peer& peer);

/// The value of an environment variable that the conductor sets. Throws HarnessError when it is missing.
std::string RequiredVariable(const char* name);

/// Milliseconds from now to `until` for poll: 0 when it has passed, at most `most`.
std::chrono::milliseconds MillisecondsTo(SteadyTime until, std::chrono::milliseconds most = std::chrono::hours(1));

}  // namespace zerocts
