// What this process holds, read from outside its own accounting, and what the machine has left.
#pragma once
#include <cstdint>
#include <optional>

namespace zerocts {

/// The proportional set size: pages that n processes share count 1 / n in each, so the sum over ranks is what they hold
/// together. Throws std::runtime_error where the system does not tell.
int64_t HeldBytes();

/// The most held since the last call of this function, or since the process began.
int64_t TakePeakBytes();

/// Of the machine: what can be taken without swapping. Nothing where the system does not tell.
std::optional<int64_t> AvailableBytes();

}  // namespace zerocts
