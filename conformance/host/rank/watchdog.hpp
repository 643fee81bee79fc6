// Ends a worker that nobody would end otherwise: its conductor is gone, or a case has outlasted its deadline by far.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/host/system/held_process.hpp"
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

class Watchdog {
 public:
  /// `ranks`: how many this process hosts.
  Watchdog(pid_t conductor, int ranks);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// `slot` of [0, ranks) runs a case; its page says where it stands.
  void CaseBegins(int slot, const RankPage& page, uint32_t deadline_ms);
  void CaseEnds(int slot);

 private:
  struct Slot {
    std::atomic<int64_t> give_up_at_ms{INT64_MAX};  // of the steady clock
    std::atomic<const RankPage*> page{nullptr};
  };
  void Loop();
  [[noreturn]] void End(const std::string& why) const;

  const HeldProcess conductor_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace zerocts
