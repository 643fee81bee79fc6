// Points in time that deadlines are made of.
#pragma once
#include <chrono>

namespace zerocts {

using SteadyTime = std::chrono::steady_clock::time_point;

inline SteadyTime After(std::chrono::milliseconds wait) { return std::chrono::steady_clock::now() + wait; }

/// Milliseconds from now to `until` for poll: 0 when it has passed, at most `most`.
std::chrono::milliseconds MillisecondsTo(SteadyTime until, std::chrono::milliseconds most = std::chrono::hours(1));

}  // namespace zerocts
