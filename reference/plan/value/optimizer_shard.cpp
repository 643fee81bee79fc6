#include "reference/plan/value/optimizer_shard.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace zerocts {

OptimizerShard OptimizerShard::ForRank(int rank, int world_size, int64_t total_params) {
  if (world_size < 1) throw std::invalid_argument(fmt::format("world_size is {}: expected at least 1", world_size));
  if (rank < 0 || rank >= world_size) {
    throw std::invalid_argument(
        fmt::format("rank is {}: expected 0..{} for world_size {}", rank, world_size - 1, world_size));
  }
  if (total_params < 0)
    throw std::invalid_argument(fmt::format("total_params is {}: expected at least 0", total_params));

  return {EvenBegin(total_params, world_size, rank), EvenBegin(total_params, world_size, int64_t{rank} + 1),
          total_params};
}

double OptimizerShard::memory_savings() const {
  if (total == 0) return 0.0;
  return static_cast<double>(full_memory_bytes() - shard_memory_bytes()) / static_cast<double>(full_memory_bytes());
}

}  // namespace zerocts
