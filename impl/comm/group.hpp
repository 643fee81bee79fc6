// The group of a communicator: which ranks of the world it joins, and how it is told from other groups.
#pragma once
#include <string>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

struct Group {
  std::string name;
  std::vector<int> members;  // ranks of the world, ascending; rank r of the group is members[r]
  int rank = 0;              // this rank's, in the group

  int size() const { return static_cast<int>(members.size()); }
  /// "zerocts.shm.row.4": no other group has it, because groups of one name share no rank.
  std::string Key(const std::string& backend) const;
};

/// Throws std::invalid_argument unless the ranks are those of a world, ascending, this one among them.
Group GroupOf(const CommunicatorSettings& settings);

}  // namespace zerocts::engine
