#include "bench/engine/engine_rank.hpp"

#include <new>

namespace zerocts {

void* WorkerMemory::Allocate(int64_t bytes, engine::MemoryKind kind) {
  void* memory = memory_.Allocate(static_cast<size_t>(bytes), static_cast<int>(kind));
  if (!memory) throw std::bad_alloc();
  return memory;
}

EngineRank::EngineRank(const std::string& transport, const engine::TestRank& self, const Workload& workload,
                       const engine::EngineSettings& settings, const std::vector<const float*>& initial)
    : device_(engine::MakeDevice(workload.device, memory_,
                                 {.overlap = settings.overlap, .rank = self.rank, .math = workload.math})) {
  engine::CommunicatorSettings world = self.settings;
  world.device = device_.get();
  groups_ = engine::MakeMeshGroups(transport, world, settings.replicas, settings.tensor);
  engine_ =
      std::make_unique<engine::Engine>(settings, self.rank, world.world_size, groups_.groups(), *device_, initial);
}

}  // namespace zerocts
