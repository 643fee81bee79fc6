// The ranks, and how they reach each other. What is called collective is called by all ranks, in the same order. Who
// waits longer than the deadline throws std::runtime_error, whose text names the ranks that are missing; what makes no
// sense, or is not in this build, throws std::invalid_argument with what was expected.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <zerocts/library/exported.hpp>

namespace zerocts::library {

struct CommunicatorSettings {
  std::string transport = "auto";  // or threads, shm, mpi, shm+mpi, nccl: what fits how the ranks were started
  std::string device = "host";     // or sim (tests), cuda (the GPU with the rank's number, modulo how many there are)
  std::chrono::milliseconds deadline{60000};
};

/// One rank's end. A handle: copies are the same communicator, and what is made of it keeps it alive. Used by one
/// thread at a time.
class ZEROCTS_EXPORTED Communicator {
 public:
  /// A world of one rank.
  static Communicator Alone(const CommunicatorSettings& settings = {});
  /// Ranks that mpirun started. Collective.
  static Communicator OfMpi(const CommunicatorSettings& settings = {});
  /// Ranks that are processes of one host, however they were started. They meet in `folder`, which all of them reach
  /// and which is empty before. Collective.
  static Communicator OfProcesses(int rank, int world_size, const std::string& folder,
                                  const CommunicatorSettings& settings = {});

  int rank() const;
  int world_size() const;
  std::string transport() const;  // the one that was chosen
  void Barrier() const;           // collective

  struct Ends;  // the engine's own
  explicit Communicator(std::shared_ptr<Ends> ends) : ends_(std::move(ends)) {}
  const std::shared_ptr<Ends>& ends() const { return ends_; }

 private:
  std::shared_ptr<Ends> ends_;
};

/// Ranks that are threads of this process: runs `body` once for each, all at once. Throws what the first rank threw
/// that failed.
ZEROCTS_EXPORTED void RunOnThreads(int world_size, const std::function<void(const Communicator&)>& body,
                                   const CommunicatorSettings& settings = {});

/// Once per process, after the last communicator is gone: ends MPI, if a communicator started it.
ZEROCTS_EXPORTED void ShutDown();

}  // namespace zerocts::library
