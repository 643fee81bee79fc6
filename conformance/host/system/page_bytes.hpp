#pragma once
#include <cstddef>

namespace zerocts {

/// What the kernel maps, protects and counts at once.
inline constexpr size_t kPageBytes = 4096;

}  // namespace zerocts
