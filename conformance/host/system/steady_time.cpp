#include "conformance/host/system/steady_time.hpp"

#include <algorithm>

namespace zerocts {

std::chrono::milliseconds MillisecondsTo(SteadyTime until, std::chrono::milliseconds most) {
  if (until == SteadyTime::max()) return most;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return std::clamp(left, std::chrono::milliseconds(0), most);
}

}  // namespace zerocts
