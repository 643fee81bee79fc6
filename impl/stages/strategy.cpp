#include "impl/stages/strategy.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace zerocts::engine {

Strategy StrategyOf(const std::string& name) {
  if (name == "NoShard") return {.stage = 0};
  if (name == "ShardGradOp") return {.stage = 2};
  if (name == "FullShard") return {.stage = 3};
  if (name == "HybridShard") return {.stage = 3, .hybrid = true};
  throw std::invalid_argument(
      fmt::format("strategy {} is unknown: expected NoShard, ShardGradOp, FullShard or HybridShard", name));
}

void RequireStrategy(const std::string& name, int stage, int replicas) {
  const Strategy strategy = StrategyOf(name);
  if (strategy.stage != stage) {
    throw std::invalid_argument(
        fmt::format("strategy {} is stage {}, but stage {} was asked", name, strategy.stage, stage));
  }
  if (strategy.hybrid != (replicas > 1)) {
    throw std::invalid_argument(fmt::format("strategy {} is for {}, but {} were asked", name,
                                            strategy.hybrid ? "two or more replicas" : "one replica", replicas));
  }
}

}  // namespace zerocts::engine
