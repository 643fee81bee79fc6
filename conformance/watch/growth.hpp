// Memory that grows by about as much in each step, and does not stop.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace zerocts::watch {

/// One rank's. What a step needs for a moment is no growth: a block of steps counts as its least bytes.
class Growth {
 public:
  void Take(int64_t step, int64_t bytes);

  struct Line {
    int64_t from = 0;  // the step
    double bytes_per_step = 0;
    int64_t begin = 0, end = 0;  // bytes
  };
  /// The growth of the last blocks, as many as grow alike; none where these are too few, or it is too small.
  std::optional<Line> line() const;
  bool is_judged() const { return blocks_.size() >= kBlocks; }

 private:
  struct Block {
    int64_t step = 0, least = 0;
  };
  bool AreAlike(size_t first) const;

  static constexpr int kWarmUp = 20;       // looked-at steps
  static constexpr size_t kBlocks = 8;     // that must grow
  static constexpr int kStepsAtFirst = 8;  // of a block; twice as many once there are twice as many blocks
  static constexpr int64_t kLeastBytes = 16 << 20;
  static constexpr double kLeastShare = 0.01;
  static constexpr double kAlike = 2;     // a block grows by half to twice the mean of all
  static constexpr double kSteady = 0.8;  // times what the first half of them grows, the second half does at least

  std::vector<Block> blocks_;
  Block open_;
  int skipped_ = 0, in_open_ = 0, steps_ = kStepsAtFirst;
};

}  // namespace zerocts::watch
