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

/// Anonymous and shared memory of this process and its descendants, after what was freed was given back. Pages that a
/// fork still shares count whole; shared memory counts for a process by its share in it. Nothing where the system does
/// not tell, or where a sanitizer's own memory is in it. From the first call on, large blocks of malloc are mapped
/// alone, so that none stays behind at the end of a thread's heap.
std::optional<uint64_t> CountedBytes();

/// The memory of the machine that can be taken without swapping. Nothing where the system does not tell.
std::optional<int64_t> AvailableBytes();

}  // namespace zerocts
