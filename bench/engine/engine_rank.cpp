#include "bench/engine/engine_rank.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

constexpr auto kDeadline = std::chrono::seconds(120);
constexpr size_t kTextBytes = size_t{16} << 20;  // of one rank at most; pages that nobody writes cost nothing

/// One text per rank in memory that threads and forked processes share.
class SharedTexts {
 public:
  explicit SharedTexts(int ranks) : bytes_(kTextBytes * static_cast<size_t>(ranks)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~SharedTexts() { munmap(memory_, bytes_); }
  SharedTexts(const SharedTexts&) = delete;
  SharedTexts& operator=(const SharedTexts&) = delete;

  void Write(int rank, const std::string& text) {
    if (text.size() >= kTextBytes) {
      throw std::runtime_error(fmt::format("a result of {} bytes: expected less than {}; measure fewer repetitions",
                                           text.size(), kTextBytes));
    }
    std::memcpy(Of(rank), text.c_str(), text.size() + 1);
  }
  std::string Read(int rank) const { return Of(rank); }

 private:
  char* Of(int rank) const { return static_cast<char*>(memory_) + kTextBytes * static_cast<size_t>(rank); }

  const size_t bytes_;
  void* memory_;
};

}  // namespace

std::vector<nlohmann::json> OnRanks(const std::string& transport, int ranks, const RankMeasurement& measure) {
  SharedTexts texts(ranks);
  const auto body = [&](engine::TestRank& self) { texts.Write(self.rank, measure(self).dump()); };
  const std::vector<std::string> sentences = transport == "threads" ? engine::RunOnThreads(ranks, kDeadline, body)
                                                                    : engine::RunOnProcesses(ranks, kDeadline, body);
  for (int rank = 0; rank < ranks; ++rank) {
    if (!sentences[rank].empty()) throw std::runtime_error(fmt::format("rank {}: {}", rank, sentences[rank]));
  }
  std::vector<nlohmann::json> results;
  for (int rank = 0; rank < ranks; ++rank) results.push_back(ParseJson(texts.Read(rank)));
  return results;
}

std::vector<double> SlowestRank(const std::vector<nlohmann::json>& results, const std::string& field) {
  std::vector<double> slowest;
  for (const nlohmann::json& result : results) {
    const auto series = result.at(field).get<std::vector<double>>();
    slowest.resize(series.size());
    for (size_t i = 0; i < series.size(); ++i) slowest[i] = std::max(slowest[i], series[i]);
  }
  return slowest;
}

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
