#include "impl/stages/memory_estimate.hpp"

#include <stdexcept>

#include "impl/stages/engine.hpp"

namespace zerocts::engine {
namespace {

/// Any address: nobody may look there.
void* Nowhere() {
  static std::max_align_t place;
  return &place;
}

class NoMemory : public MemorySource {
 public:
  void* Allocate(int64_t, MemoryKind) override { return Nowhere(); }
  void Free(void*) override {}
};

class NoTransport : public Communicator {
 public:
  NoTransport(int rank, int world_size) : rank_(rank), world_size_(world_size) {}
  int rank() const override { return rank_; }
  int world_size() const override { return world_size_; }
  std::string name() const override { return "none"; }
  void* Allocate(int64_t, MemoryKind) override { return Nowhere(); }
  void Free(void*) override {}
  int64_t staging_bytes() const override { return 0; }
  Traffic traffic() const override { return {}; }
  void AllGather(void*, const void*, const Cuts&, int, DeviceStream&, const char*) override { Refuse(); }
  void ReduceScatter(float*, void*, const Cuts&, const Reduction&, WireType, DeviceStream&, const char*) override {
    Refuse();
  }
  void AllToAll(float*, float*, const Cuts&, DeviceStream&, const char*) override { Refuse(); }
  void AllReduceSum(uint64_t*, int64_t, DeviceStream&, const char*) override { Refuse(); }
  void Barrier(const char*) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() { throw std::logic_error("an estimate of memory moves nothing"); }
  const int rank_, world_size_;
};

}  // namespace

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
