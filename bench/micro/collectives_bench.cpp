// Reduce-scatter in rank order and all-gather of fp32, beside the memory bound of the same run. By itself it measures
// ranks that are threads (threads) and processes (shm); under mpirun those of the job (mpi, shm+mpi, shm), beside MPI's
// own collectives.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#include "bench/micro/collective_rounds.hpp"
#include "bench/micro/mpi_job.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "impl/comm/for_test/ranks.hpp"
#include "reference/numerics/arithmetic_canary.hpp"

namespace zerocts {
namespace {

constexpr int64_t kBytes = int64_t{64} << 20;
constexpr int kRounds = 30;
constexpr auto kDeadline = std::chrono::seconds(60);

const char* NameOf(CollectiveKind kind) {
  return kind == CollectiveKind::kReduceScatter ? "ReduceScatter" : "AllGather";
}

void Report(benchmark::State& state, CollectiveKind kind, int ranks, const CollectiveTimes& times, bool has_peer) {
  const double parts = static_cast<double>(kBytes) / ranks;
  const double moved = kind == CollectiveKind::kReduceScatter ? static_cast<double>(kBytes) + parts  // read and written
                                                              : 2 * (static_cast<double>(kBytes) - parts);
  state.SetIterationTime(times.ours);
  state.counters["GB/s"] = ranks * moved / times.ours * 1e-9;
  state.counters["bound"] = ranks * moved / times.bound * 1e-9;
  state.counters["of_bound"] = times.bound / times.ours;
  if (!has_peer) return;
  state.counters["faster_than_mpi"] = times.peer / times.ours;
  state.counters["faster_than_polled_mpi"] = times.polled_peer / times.ours;
}

/// Ranks of this process or forked from it; rank 0's times.
CollectiveTimes MeasureLocally(const std::string& backend, CollectiveKind kind, int ranks) {
  void* memory = mmap(nullptr, sizeof(CollectiveTimes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* shared = new (memory) CollectiveTimes;
  const auto body = [&](engine::TestRank& self) {
    const auto comm = engine::MakeCommunicator(backend, self.settings);
    const CollectiveTimes times = MeasureCollective(*comm, self.device, kind, kBytes, kRounds, {});
    if (self.rank == 0) *shared = times;
  };
  const auto sentences = backend == "threads" ? engine::RunOnThreads(ranks, kDeadline, body)
                                              : engine::RunOnProcesses(ranks, kDeadline, body);
  const CollectiveTimes times = *shared;
  munmap(memory, sizeof(CollectiveTimes));
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) throw std::runtime_error(sentence);
  }
  return times;
}

void RegisterLocal() {
  for (const char* backend : {"threads", "shm"}) {
    for (const CollectiveKind kind : {CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
      for (const int ranks : {2, 4}) {
        const auto measure = [=](benchmark::State& state) {
          for (auto _ : state) Report(state, kind, ranks, MeasureLocally(backend, kind, ranks), false);
        };
        benchmark::RegisterBenchmark(fmt::format("{}/{}/ranks:{}", NameOf(kind), backend, ranks).c_str(), measure)
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

void RegisterJob(MpiJob& job) {
  for (const char* backend : {"mpi", "shm+mpi", "shm"}) {
    for (const CollectiveKind kind : {CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
      const auto measure = [=, &job](benchmark::State& state) {
        for (auto _ : state) {
          const auto comm = engine::MakeCommunicator(backend, job.settings());
          const PeerCollectives peers{[&](auto... call) { job.Peer(call...); },
                                      [&](auto... call) { job.PolledPeer(call...); }};
          const CollectiveTimes times = MeasureCollective(*comm, job.device(), kind, kBytes, kRounds, peers);
          Report(state, kind, job.world_size(), times, true);
        }
      };
      benchmark::RegisterBenchmark(fmt::format("{}/{}/ranks:{}", NameOf(kind), backend, job.world_size()).c_str(),
                                   measure)
          ->Iterations(1)  // the same on every rank
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

int Main(int argc, char** argv) {
  const ArithmeticReport arithmetic = CheckArithmetic();
  if (!arithmetic.ok()) {
    std::fprintf(stderr, "error: %s\n", Describe(arithmetic).c_str());
    return kExitHarnessError;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kExitUsage;
  const auto job = MpiJobOfThisProcess();
  job ? RegisterJob(*job) : RegisterLocal();
  Silent silent;
  const bool reports = !job || job->settings().rank == 0;
  reports ? benchmark::RunSpecifiedBenchmarks() : benchmark::RunSpecifiedBenchmarks(&silent);
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  try {
    return zerocts::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return zerocts::kExitHarnessError;
  }
}
