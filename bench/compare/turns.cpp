#include "bench/compare/turns.hpp"

namespace zerocts {

void Turns::Await(Side side) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return turn_ >= turns_ || Owner(turn_) == side; });
}

void Turns::Pass(Side side) {
  {
    const std::lock_guard lock(mutex_);
    ++turn_;
    SkipTurnsOfWhoLeft();
  }
  changed_.notify_all();
  Await(side);
}

void Turns::Leave(Side side) {
  {
    const std::lock_guard lock(mutex_);
    left_[static_cast<int>(side)] = true;
    SkipTurnsOfWhoLeft();
  }
  changed_.notify_all();
}

Turns::Side Turns::Owner(int64_t turn) const {
  const int64_t round = turn / 2, index = turn % 2;
  const bool is_swapped = (round + index) % 2 == 1;
  if (!is_swapped) return begins_;
  return begins_ == Side::kFirst ? Side::kSecond : Side::kFirst;
}

void Turns::SkipTurnsOfWhoLeft() {
  while (turn_ < turns_ && left_[static_cast<int>(Owner(turn_))]) ++turn_;
}

}  // namespace zerocts
