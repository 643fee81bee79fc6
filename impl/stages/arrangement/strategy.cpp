#include "impl/stages/arrangement/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/plan/value/strategy.hpp"

namespace zerocts::engine {

void RequireStrategy(const std::string& name, int stage, int replicas) {
  const auto* strategy = std::ranges::find(kStrategies, name, &Strategy::name);
  if (strategy == std::end(kStrategies)) throw std::invalid_argument(fmt::format("strategy {} is unknown", name));
  if (strategy->stage != stage) {
    throw std::invalid_argument(
        fmt::format("strategy {} is stage {}, but stage {} was asked", name, strategy->stage, stage));
  }
  if (strategy->hybrid != (replicas > 1)) {
    throw std::invalid_argument(fmt::format("strategy {} is for {}, but {} were asked", name,
                                            strategy->hybrid ? "two or more replicas" : "one replica", replicas));
  }
}

}  // namespace zerocts::engine
