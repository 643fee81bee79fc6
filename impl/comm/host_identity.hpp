// What tells hosts apart.
#pragma once
#include <array>

namespace zerocts::engine {

/// Which kernel runs, and in which spaces of process numbers and of users this process is, as text: ranks for which it
/// is the same can open each other's memory, as comm shm does.
using HostIdentity = std::array<char, 128>;

/// Throws std::runtime_error where /proc does not say.
HostIdentity IdentityOfThisHost();

}  // namespace zerocts::engine
