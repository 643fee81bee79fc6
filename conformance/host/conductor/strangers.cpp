#include "conformance/host/conductor/strangers.hpp"

#include <atomic>

namespace zerocts {

namespace {

std::atomic<int64_t> turned_away{0};

}  // namespace

void CountStrangers(int64_t more) { turned_away += more; }

int64_t StrangersTurnedAway() { return turned_away; }

}  // namespace zerocts
