// What this process holds, read from outside its own accounting, and what the machine has left.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace zerocts {

/// Sums the lines "NAME:   123 kB" with these names in a file of the kernel, in bytes; nothing where there is none.
std::optional<int64_t> FindBytes(const std::string& path, std::initializer_list<std::string> names);

/// The proportional set size: pages that n processes share count 1 / n in each, so the sum over ranks is what they hold
/// together. Throws std::runtime_error where the system does not tell.
int64_t HeldBytes();

/// The most held since the last call of this function, or since the process began.
int64_t TakePeakBytes();

/// The memory of the machine that can be taken without swapping. Nothing where the system does not tell.
std::optional<int64_t> AvailableBytes();

}  // namespace zerocts
