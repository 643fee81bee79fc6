// Whose turn it is, where two sides make their steps one after the other.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace zerocts {

/// Two threads, each of which drives one side. In each round both make one step, and who goes first alternates: A B, B
/// A, A B, .. So what slows the machine down for longer than a step hits both alike.
class Turns {
 public:
  enum class Side { kFirst, kSecond };

  /// `begins`: who goes first in the first round.
  Turns(int64_t rounds, Side begins) : turns_(2 * rounds), begins_(begins) {}

  /// Waits until it is this side's turn, or no turn is left.
  void Await(Side side) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ >= turns_ || Owner(turn_) == side; });
  }
  /// This side's turn is over; waits for its next one, or until no turn is left.
  void Pass(Side side) {
    {
      const std::lock_guard lock(mutex_);
      ++turn_;
      SkipTurnsOfWhoLeft();
    }
    changed_.notify_all();
    Await(side);
  }
  /// It will take no more turns: the other goes on alone.
  void Leave(Side side) {
    {
      const std::lock_guard lock(mutex_);
      left_[static_cast<int>(side)] = true;
      SkipTurnsOfWhoLeft();
    }
    changed_.notify_all();
  }

 private:
  Side Owner(int64_t turn) const {
    const int64_t round = turn / 2, index = turn % 2;
    const bool is_swapped = (round + index) % 2 == 1;
    if (!is_swapped) return begins_;
    return begins_ == Side::kFirst ? Side::kSecond : Side::kFirst;
  }
  void SkipTurnsOfWhoLeft() {
    while (turn_ < turns_ && left_[static_cast<int>(Owner(turn_))]) ++turn_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const int64_t turns_;
  const Side begins_;
  int64_t turn_ = 0;
  bool left_[2] = {false, false};
};

}  // namespace zerocts
