#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

Buffer RankContext::Allocate(BufferLocation location, int64_t bytes, MemoryKind kind) const {
  switch (location) {
    case BufferLocation::kDevice: return Buffer::OfDevice(device, bytes, kind, ledger);
    case BufferLocation::kHost: return Buffer::OfHost(device, bytes, kind, ledger);
    case BufferLocation::kShardGroup: return Buffer::OfCommunicator(groups.shard, bytes, kind, ledger);
    case BufferLocation::kReplicateGroup: break;
  }
  return Buffer::OfCommunicator(groups.replicate, bytes, kind, ledger);
}

}  // namespace zerocts::engine
