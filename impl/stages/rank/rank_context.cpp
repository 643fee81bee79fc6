#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

Buffer RankContext::Allocate(BufferPlace place, int64_t bytes, MemoryKind kind) const {
  switch (place) {
    case BufferPlace::kDevice: return Buffer::OfDevice(device, bytes, kind, ledger);
    case BufferPlace::kHost: return Buffer::OfHost(device, bytes, kind, ledger);
    case BufferPlace::kShardGroup: return Buffer::OfCommunicator(groups.shard, bytes, kind, ledger);
    case BufferPlace::kReplicateGroup: break;
  }
  return Buffer::OfCommunicator(groups.replicate, bytes, kind, ledger);
}

}  // namespace zerocts::engine
