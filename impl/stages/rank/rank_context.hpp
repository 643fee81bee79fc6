// What every part of one rank's engine works with, made once by the engine.
#pragma once
#include "impl/comm/buffer.hpp"
#include "impl/stages/arrangement/arrangement.hpp"
#include "impl/stages/streams/streams.hpp"
#include "impl/stages/streams/timeline.hpp"

namespace zerocts::engine {

/// The communicators of this rank: with the ranks that it shards with, with those that hold the same shard in other
/// replicas, and with those that have the other parts of its layers. Collectives of the last go to the compute stream,
/// of the others to the communication stream.
struct Groups {
  Communicator& shard;
  Communicator& replicate;
  Communicator& tensor;
};

enum class BufferLocation {
  kDevice,
  kHost,            // offloaded
  kShardGroup,      // on the device, for collectives of the sharding group
  kReplicateGroup,  // on the device, for collectives between replicas
};

struct RankContext {
  const EngineSettings& settings;
  const Arrangement& arrangement;
  Groups groups;
  Device& device;
  Streams& streams;
  Timeline& timeline;
  MemoryLedger& ledger;

  bool offloads() const { return settings.offload != OffloadMode::kNone; }
  /// Where this rank's shard is updated: on the host when it is offloaded.
  BufferLocation home() const { return offloads() ? BufferLocation::kHost : BufferLocation::kDevice; }
  /// Collective for the locations of a group.
  Buffer Allocate(BufferLocation location, int64_t bytes, MemoryKind kind) const;
};

}  // namespace zerocts::engine
