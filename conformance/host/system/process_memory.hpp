// What this process holds, read from outside its own accounting.
#pragma once
#include <cstdint>

namespace zerocts {

/// The proportional set size: pages that n processes share count 1 / n in each, so the sum over ranks is what they hold
/// together. Throws std::runtime_error where the system does not tell.
int64_t HeldBytes();

/// The most held since the last call of this function, or since the process began.
int64_t TakePeakBytes();

}  // namespace zerocts
