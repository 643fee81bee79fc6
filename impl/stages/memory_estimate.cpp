#include "impl/stages/memory_estimate.hpp"

#include "impl/stages/engine.hpp"
#include "impl/stages/nowhere.hpp"

namespace zerocts::engine {

MemoryLedger EstimateMemory(const EngineSettings& settings, int rank, int world_size) {
  RequireServed(settings, world_size);
  const Arrangement arrangement = ArrangementOf(settings, rank, world_size);
  NoMemory memory;
  const EngineSettings own = OwnSettings(settings, arrangement.parts);
  const auto device = MakeHostDevice(memory, {});
  NoTransport shard(arrangement.shard, arrangement.mesh.size("shard"));
  NoTransport replicate(arrangement.replica, arrangement.mesh.size("replicate"));
  NoTransport tensor(arrangement.tensor, arrangement.mesh.size("tensor"));
  Timeline timeline;
  Streams streams(*device, timeline.events());
  MemoryLedger ledger;
  const RankContext context{own, arrangement, {shard, replicate, tensor}, *device, streams, timeline, ledger};
  const Stores stores(context);
  return MemoryLedger(ledger);  // as it is while the stores live
}

}  // namespace zerocts::engine
