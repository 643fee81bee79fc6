#include "bench/micro/mpi_job.hpp"

#include <mpi.h>

#include <string>

#include "impl/comm/backends.hpp"
#include "impl/comm/poll_pause.hpp"
#include "impl/device/for_test/poisoned_memory.hpp"

namespace zerocts {
namespace {

constexpr int kValueBytes = 64;  // longest value in a store

/// A value goes from the rank that sets it to all: with one group of all ranks, rank 0 sets and the others get.
engine::Store StoreByBroadcast() {
  const auto broadcast = [](std::string value) {
    value.resize(kValueBytes);
    MPI_Bcast(value.data(), kValueBytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return value;
  };
  return {[=](const std::string&, const std::string& value) { broadcast(value); },
          [=](const std::string&, size_t bytes) { return broadcast("").substr(0, bytes); }};
}

class JobOfMpirun : public MpiJob {
 public:
  JobOfMpirun() : device_(engine::MakeDevice("host", memory_)) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &settings_.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &settings_.world_size);
    settings_.store = StoreByBroadcast();
    settings_.device = device_.get();
    settings_.deadline = std::chrono::seconds(60);
  }
  ~JobOfMpirun() override { MPI_Finalize(); }

  const engine::CommunicatorSettings& settings() const override { return settings_; }
  engine::Device& device() override { return *device_; }

  void Peer(CollectiveKind kind, const float* in, float* out, int64_t part) override {
    const auto count = static_cast<int>(part);
    if (kind == CollectiveKind::kReduceScatter) {
      MPI_Reduce_scatter_block(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
    }
  }

  void PolledPeer(CollectiveKind kind, const float* in, float* out, int64_t part) override {
    const auto count = static_cast<int>(part);
    MPI_Request request = MPI_REQUEST_NULL;
    if (kind == CollectiveKind::kReduceScatter) {
      MPI_Ireduce_scatter_block(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    } else {
      MPI_Iallgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD, &request);
    }
    const auto done = [&] {
      int flag = 0;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      return flag != 0;
    };
    for (engine::PollPause pause; !done(); pause.Wait()) {
    }
  }

 private:
  engine::PoisonedMemory memory_;
  std::unique_ptr<engine::Device> device_;
  engine::CommunicatorSettings settings_;
};

}  // namespace

std::unique_ptr<MpiJob> MpiJobOfThisProcess() {
  if (!engine::StartedByMpi()) return nullptr;
  return std::make_unique<JobOfMpirun>();
}

}  // namespace zerocts
