// The store of ranks that are threads of one process.
#pragma once
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/system/core_waits.hpp"
#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/store.hpp"

namespace zerocts {

class ThreadStore {
 public:
  explicit ThreadStore(int world_size) : store_(world_size) {}

  /// Every rank calls it before its part of the case `run`; the first one clears the store.
  void BeginCase(uint64_t run);
  void Leave(int rank);
  std::unique_ptr<StoreClient> RankEnd(int rank);

 private:
  class End;
  /// Waits until `done` or the deadline, which it returns.
  template <typename Done>
  Deadline Await(std::unique_lock<std::mutex>& lock, uint32_t deadline_ms, Done done);

  std::mutex mutex_;
  std::condition_variable changed_;
  Store store_;
  CoreWaits core_waits_;
  RunnableClock clock_{[this] { return core_waits_.LongestOf({getpid()}); }};
  uint64_t run_ = 0;
};

}  // namespace zerocts
