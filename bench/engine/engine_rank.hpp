// One rank's engine with what it stands on (memory, device, groups), and W of them at once.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/engine/workload.hpp"
#include "conformance/host/memory/host_memory.hpp"
#include "impl/comm/for_test/ranks.hpp"
#include "impl/stages/engine/engine.hpp"
#include "impl/stages/rank/mesh_groups.hpp"

namespace zerocts {

using RankMeasurement = std::function<nlohmann::json(engine::TestRank&)>;

/// Runs `measure` once per rank, all at once; `transport` is "threads" or "shm" (processes). [ranks] results. Throws
/// std::runtime_error with the sentence of the first rank that failed.
std::vector<nlohmann::json> OnRanks(const std::string& transport, int ranks, const RankMeasurement& measure);

/// The slowest rank's value in each repetition, of series that every rank measured: result[field] = [repetitions].
std::vector<double> SlowestRank(const std::vector<nlohmann::json>& results, const std::string& field);

/// Memory as `zerocts worker` gives it to a subject: aligned, and staggered so that arrays which are read together do
/// not begin at the same offset in a page.
class WorkerMemory : public engine::MemorySource {
 public:
  void* Allocate(int64_t bytes, engine::MemoryKind kind) override;
  void Free(void* memory) override { memory_.Free(memory); }

 private:
  HostMemory memory_{true};
};

class EngineRank {
 public:
  /// Collective. `transport` is "threads" or "shm"; `settings` are the workload's, `initial` as Engine wants it.
  EngineRank(const std::string& transport, const engine::TestRank& self, const Workload& workload,
             const engine::EngineSettings& settings, const std::vector<const float*>& initial);

  engine::Engine& engine() { return *engine_; }
  engine::Communicator& comm() { return *groups_.shard; }
  /// Waits for all ranks: those that hold the other shards, and those that have the other parts of the layers.
  void Barrier(const char* what) {
    groups_.shard->Barrier(what);
    groups_.tensor->Barrier(what);
  }

 private:
  WorkerMemory memory_;
  std::unique_ptr<engine::Device> device_;
  engine::MeshGroups groups_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace zerocts
