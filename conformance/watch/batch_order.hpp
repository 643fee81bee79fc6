// The order in which a rank was fed its batches, and whether it comes again.
#pragma once
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace zerocts::watch {

class BatchOrder {
 public:
  static constexpr int kTimes = 3;          // that an order comes
  static constexpr size_t kFewest = 4;      // different batches; fewer are learned by heart on purpose
  static constexpr size_t kMost = 1 << 18;  // batches that are kept: an epoch has a third of them at most

  /// `number` counts the batches of the rank from 0; once one misses, or there are too many, no more is judged.
  void Take(int64_t number, const std::vector<uint64_t>& digests);
  /// Batches that had come before.
  int64_t again() const { return again_; }
  /// Batches that have come kTimes times in one order; 0: none have.
  int64_t period() const { return period_; }

 private:
  void Follow(uint64_t batch);

  std::vector<uint64_t> first_;  // batches from the first one on
  std::unordered_set<uint64_t> different_;
  size_t candidate_ = 0, matched_ = 0;  // the period that the last `matched_` batches repeat
  int64_t again_ = 0, period_ = 0, next_ = 0;
  bool is_over_ = false;
};

}  // namespace zerocts::watch
