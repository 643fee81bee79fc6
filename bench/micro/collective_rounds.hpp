// One rank's part of a measurement: a collective, its memory bound and perhaps peers, in turns.
#pragma once
#include <functional>

#include "impl/comm/communicator.hpp"

namespace zerocts {

enum class CollectiveKind { kReduceScatter, kAllGather };

/// Seconds from the first rank's begin to the last rank's end, the best of all rounds.
struct CollectiveTimes {
  double ours = 1e9, bound = 1e9, peer = 1e9, polled_peer = 1e9;
};

/// MPI's own call for the same thing, on this rank's memory: in and out as MPI wants them, `part` floats per rank.
using PeerCollective = std::function<void(CollectiveKind kind, const float* in, float* out, int64_t part)>;

/// Both are empty where there is no MPI.
struct PeerCollectives {
  PeerCollective blocking;
  PeerCollective polled;  // MPI's call that does not block, as ours may not: a wait without end has no deadline
};

/// Collective: `bytes` of fp32 in all, equal parts, in place.
CollectiveTimes MeasureCollective(engine::Communicator& comm, engine::Device& device, CollectiveKind kind,
                                  int64_t bytes, int rounds, const PeerCollectives& peers);

}  // namespace zerocts
