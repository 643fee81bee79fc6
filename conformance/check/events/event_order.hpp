// What comes before what on one rank, by the events that it reported: not by the clock, so under any load.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// "" or what is wrong with the events themselves: "event 12 waits for event 40: expected one of those before it".
std::string Problem(const std::vector<RankEvent>& events);

/// Events that a queue is asked for happen one after the other, after all that the rank's thread had waited for when it
/// asked, and after what the queue waits for. Events are named by their index.
class EventOrder {
 public:
  static constexpr int kRankThread = 0;  // the queue

  /// Expects Problem(events) == "".
  explicit EventOrder(const std::vector<RankEvent>& events);

  /// Has `earlier` happened when `later` does, whatever the load?
  bool IsBefore(int64_t earlier, int64_t later) const;
  /// Has another queue, or the rank's thread, ever waited for it?
  bool IsAwaited(int64_t event) const;

 private:
  using Moment = std::vector<int64_t>;  // [queues]: the last event that has happened; -1: none

  std::vector<int> queue_of_;   // [events]
  std::vector<Moment> before_;  // [events]
  std::vector<Moment> at_end_;  // [queues]
};

}  // namespace zerocts
