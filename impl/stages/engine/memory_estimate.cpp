#include "impl/stages/engine/memory_estimate.hpp"

#include <deque>

#include "impl/stages/engine/engine.hpp"
#include "impl/stages/rank/nowhere.hpp"

namespace zerocts::engine {
namespace {

/// The communicators of a rank, which are never called.
struct NoGroups {
  explicit NoGroups(const Arrangement& a)
      : shard(a.shard, a.mesh.size("shard")),
        replicate(a.replica, a.mesh.size("replicate")),
        tensor(a.tensor, a.mesh.size("tensor")) {}
  NoTransport shard, replicate, tensor;
};

}  // namespace

MemoryLedger EstimateMemory(const EngineSettings& settings, int rank, int world_size) {
  RequireServed(settings, world_size);
  NowhereMemory memory;
  const auto device = MakeHostDevice(memory, {});
  Timeline timeline;
  Streams streams(*device, timeline.events());
  MemoryLedger ledger;
  std::vector<Arrangement> arrangements = {ArrangementOf(settings, rank, world_size)};
  if (settings.experts > 1) arrangements.push_back(ExpertArrangementOf(settings, rank, world_size));
  std::deque<NoGroups> groups;
  std::deque<ParameterClass> classes;
  for (const Arrangement& arrangement : arrangements) {
    auto& [shard, replicate, tensor] = groups.emplace_back(arrangement);
    classes.emplace_back(settings, arrangement, Groups{shard, replicate, tensor}, *device, streams, timeline, ledger);
  }
  std::optional<ModelRunner> model;
  if (settings.model) {
    std::vector<ParameterClass*> all;
    for (ParameterClass& part : classes) all.push_back(&part);
    model.emplace(all);
  }
  return MemoryLedger(ledger);  // as it is while the stores live
}

}  // namespace zerocts::engine
