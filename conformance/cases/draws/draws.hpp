// A stream of random decisions: the n-th draw is a function of (seed, n).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts {

class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}

  int64_t Between(int64_t smallest, int64_t largest) {  // both included
    return smallest +
           static_cast<int64_t>(RandomBelow(seed_, 0, next_++, static_cast<uint64_t>(largest - smallest + 1)));
  }
  bool Percent(int64_t probability) { return Between(1, 100) <= probability; }

  template <typename Item>
  Item Pick(const std::vector<Item>& items) {  // throws std::out_of_range when there is none
    return items.at(static_cast<size_t>(Between(0, static_cast<int64_t>(items.size()) - 1)));
  }

 private:
  uint64_t seed_;
  uint64_t next_ = 0;
};

}  // namespace zerocts
