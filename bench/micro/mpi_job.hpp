// The job of mpirun that this process is a rank of, if it is.
#pragma once
#include <memory>

#include "bench/micro/collective_rounds.hpp"

namespace zerocts {

class MpiJob {
 public:
  virtual ~MpiJob() = default;
  virtual const engine::CommunicatorSettings& settings() const = 0;
  virtual engine::Device& device() = 0;
  int world_size() const { return settings().world_size; }
  /// MPI_Reduce_scatter_block or MPI_Allgather.
  virtual void Peer(CollectiveKind kind, const float* in, float* out, int64_t part) = 0;
  /// MPI_Ireduce_scatter_block or MPI_Iallgather, polled as our own messages are.
  virtual void PolledPeer(CollectiveKind kind, const float* in, float* out, int64_t part) = 0;
};

/// nullptr when this process was not started by mpirun, or this build has no MPI.
std::unique_ptr<MpiJob> MpiJobOfThisProcess();

}  // namespace zerocts
