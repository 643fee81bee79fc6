// How many strangers the groups of this process turned away.
#pragma once
#include <cstdint>

namespace zerocts {

void CountStrangers(int64_t more);
int64_t StrangersTurnedAway();

}  // namespace zerocts
