// What is said of a checkpoint that cannot be loaded.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace zerocts::engine {

/// `what`: "expected .., got ..".
[[noreturn]] inline void ThrowDamaged(const std::string& path, const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}; load a checkpoint that is whole", path, what));
}

}  // namespace zerocts::engine
