// How much the memory of a rank grew since before its first case, seen from outside of the subject.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "conformance/host/memory/guarded_pages.hpp"
#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/rank_processes.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/system/counted_memory.hpp"

namespace zerocts {

/// The most at any look of a case. `left`: what the process's first case left behind.
struct Growth {
  uint64_t bytes = 0, left = 0;
};

struct MemoryGrowth {
  Growth heap;
  std::optional<Growth> process;  // as the kernel counts; none where it does not tell
  uint64_t file_bytes = 0;        // written to files or read from them, whichever is more
  std::set<std::string> unread;
};

/// One per process. With ranks as threads all of them call Begin and Look, collectively, and get the same numbers.
class MemoryMeter {
 public:
  explicit MemoryMeter(int ranks_in_process) : shared_(ranks_in_process > 1) {}

  /// Before open. The first call is what all growth is measured from: what an earlier case left behind counts while it
  /// is held.
  void Begin(int rank, StoreClient& store, uint32_t deadline_ms) {
    LookOnce(rank, store, deadline_ms, 0, [this](const Sight& now) {
      if (!first_) {
        first_ = now;
      } else if (!heap_left_) {
        heap_left_ = Above(first_->heap, now.heap);
        process_left_ = Above(first_->process, now.process);
      }
      growth_ = {.heap = {0, heap_left_.value_or(0)}};  // what open replaces of an earlier case is no growth
      if (now.count) growth_.process = {0, process_left_};
      files_ = {};
    });
  }
  /// `host_bytes`: what the rank's observation takes, and the host around the subject's blocks; it does not count.
  void Look(int rank, StoreClient& store, uint32_t deadline_ms, uint64_t host_bytes) {
    LookOnce(rank, store, deadline_ms, host_bytes, [this](const Sight& now) {
      growth_.heap.bytes = std::max(growth_.heap.bytes, Above(first_->heap, now.heap));
      if (!growth_.process || !now.count) return;
      growth_.process->bytes = std::max(growth_.process->bytes, Above(first_->process, now.process));
      files_.written_bytes += now.count->before.written_bytes - last_->count->after.written_bytes;
      files_.read_bytes += now.count->before.read_bytes - last_->count->after.read_bytes;
      growth_.file_bytes = Above(0, std::max(files_.written_bytes, files_.read_bytes));
    });
  }
  /// What the looks since Begin saw.
  MemoryGrowth growth() const {
    const std::lock_guard lock(mutex_);
    return growth_;
  }

 private:
  struct Sight {
    int64_t heap = 0, process = 0;  // without what is ours
    std::optional<ProcessCount> count = {};
  };

  static uint64_t Above(int64_t before, int64_t now) { return now > before ? static_cast<uint64_t>(now - before) : 0; }

  Sight SightNow(const StoreClient& store) {
    const auto ours = static_cast<int64_t>(host_bytes_.exchange(0) + store.KeptBytes());
    Sight now{.heap = static_cast<int64_t>(HeapBytes()) - ours, .count = CountProcesses(RankProcesses())};
    if (now.count) now.process = static_cast<int64_t>(now.count->memory_bytes) - ours - GuardedPages::BytesOfProcess();
    return now;
  }

  /// One rank looks while the others stand still. When one does not come its case has failed, and so has what is seen.
  template <typename Use>
  void LookOnce(int rank, StoreClient& store, uint32_t deadline_ms, uint64_t host_bytes, Use use) {
    host_bytes_ += host_bytes;
    if (shared_) store.Barrier(deadline_ms);
    if (rank == 0 || !shared_) {
      Sight now = SightNow(store);
      const std::lock_guard lock(mutex_);
      use(now);
      if (now.count) growth_.unread.merge(now.count->unread);
      last_ = std::move(now);
    }
    if (shared_) store.Barrier(deadline_ms);
  }

  const bool shared_;
  std::atomic<uint64_t> host_bytes_{0};
  std::optional<Sight> first_, last_;
  std::optional<uint64_t> heap_left_;  // by the first case; none: no second one has begun
  uint64_t process_left_ = 0;
  FileTraffic files_;         // since Begin
  mutable std::mutex mutex_;  // of growth_: a rank that missed the others reads it at any time
  MemoryGrowth growth_;
};

}  // namespace zerocts
