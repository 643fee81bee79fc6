#include "impl/comm/group.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace zerocts::engine {

std::string Group::Key(const std::string& backend) const {
  return fmt::format("zerocts.{}.{}.{}", backend, name, members.front());
}

Group GroupOf(const CommunicatorSettings& settings) {
  const auto [rank, world_size] = std::pair(settings.rank, settings.world_size);
  if (rank < 0 || rank >= world_size) {
    throw std::invalid_argument(
        fmt::format("rank is {}: expected 0..{} for world_size {}", rank, world_size - 1, world_size));
  }
  Group group{settings.group, settings.members, 0};
  std::vector<int>& members = group.members;
  if (members.empty()) {
    members.resize(static_cast<size_t>(world_size));
    std::iota(members.begin(), members.end(), 0);
  }
  const auto found = std::find(members.begin(), members.end(), rank);
  const bool ascending = std::adjacent_find(members.begin(), members.end(), std::greater_equal<>()) == members.end();
  if (!ascending || members.front() < 0 || members.back() >= world_size || found == members.end()) {
    throw std::invalid_argument(
        fmt::format("group {}: its members are {}; expected ascending ranks of 0..{}, {} among them", group.name,
                    fmt::join(members, ","), world_size - 1, rank));
  }
  group.rank = static_cast<int>(found - members.begin());
  return group;
}

}  // namespace zerocts::engine
