// One collective call of one rank, from entry to return: its name, its number, its deadline, and the sentence when that
// runs out.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/comm/communicator.hpp"
#include "impl/comm/group.hpp"

namespace zerocts::engine {

/// Ranks of the group of a wait that did not end well, ascending.
struct Arrivals {
  std::vector<int> arrived, missing;
  std::vector<int> aborted;  // closed or failed: they will never come
};

class CollectiveCall {
 public:
  using Clock = std::chrono::steady_clock;

  /// `sequence` counts the calls of this communicator; ranks that make the same calls have the same number.
  CollectiveCall(const CommunicatorSettings& settings, const Group& group, uint64_t sequence, const char* operation,
                 const char* what);
  /// `whole` as some of its ranks wait in it: the same number and deadline, and `some` in its sentences.
  CollectiveCall(const CollectiveCall& whole, const Group& some);
  ~CollectiveCall();
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;

  uint64_t sequence() const { return sequence_; }
  std::chrono::nanoseconds remaining() const { return started_ + deadline_ - Clock::now(); }
  bool expired() const { return remaining().count() <= 0; }

  std::string name() const;  // "all_gather #12 (parameters)"

  /// "all_gather #12 (parameters): waited 5.0 s; arrived 0,1,3; missing 2", in ranks of the world
  CollectiveTimeout Timeout(const Arrivals& arrivals) const;

 private:
  const CommunicatorSettings& settings_;
  const Group& group_;
  const uint64_t sequence_;
  const char* const operation_;
  const char* const what_;
  const Clock::time_point started_;
  const std::chrono::milliseconds deadline_;
  const bool whole_ = true;
};

}  // namespace zerocts::engine
