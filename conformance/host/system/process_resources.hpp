// What this process has open and runs, as the kernel lists it.
#pragma once
#include <cstdint>
#include <optional>

namespace zerocts {

// Nothing where the system does not tell.
std::optional<int64_t> OpenFileCount();
std::optional<int64_t> ThreadCount();
/// Counts the whole address space, in memory or not.
std::optional<int64_t> MappedBytes();

}  // namespace zerocts
