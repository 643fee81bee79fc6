#include "conformance/watch/growth.hpp"

#include <algorithm>

namespace zerocts::watch {

void Growth::Take(int64_t step, int64_t bytes) {
  if (skipped_ < kWarmUp) {
    ++skipped_;
    return;
  }
  open_ = in_open_ == 0 ? Block{step, bytes} : Block{open_.step, std::min(open_.least, bytes)};
  if (++in_open_ < steps_) return;
  in_open_ = 0;
  blocks_.push_back(open_);
  if (blocks_.size() < 2 * kBlocks) return;
  for (size_t i = 0; i < kBlocks; ++i)
    blocks_[i] = {blocks_[2 * i].step, std::min(blocks_[2 * i].least, blocks_[2 * i + 1].least)};
  blocks_.resize(kBlocks);
  steps_ *= 2;
}

std::optional<Growth::Line> Growth::line() const {
  if (!is_judged()) return std::nullopt;
  size_t first = blocks_.size() - kBlocks;
  if (!AreAlike(first)) return std::nullopt;
  while (first > 0 && AreAlike(first - 1)) --first;
  const Block &begin = blocks_[first], &end = blocks_.back();
  const int64_t grown = end.least - begin.least;
  if (grown < kLeastBytes || static_cast<double>(grown) < kLeastShare * static_cast<double>(begin.least))
    return std::nullopt;
  return Line{begin.step, static_cast<double>(grown) / static_cast<double>(end.step - begin.step), begin.least,
              end.least};
}

bool Growth::AreAlike(size_t first) const {
  const size_t last = blocks_.size() - 1, middle = (first + last) / 2;
  const auto grown = [&](size_t from, size_t to) {
    return static_cast<double>(blocks_[to].least - blocks_[from].least) / static_cast<double>(to - from);
  };
  const double mean = grown(first, last);
  if (grown(middle, last) < kSteady * grown(first, middle)) return false;
  for (size_t i = first; i < last; ++i) {
    const double own = grown(i, i + 1);
    if (own <= 0 || own < mean / kAlike || own > mean * kAlike) return false;
  }
  return true;
}

}  // namespace zerocts::watch
