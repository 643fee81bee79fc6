// Who speaks to the conductor: a rank, or the shim that watches over one.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace zerocts {

struct Peer {
  enum class Role { kRank, kShim };
  Role role = Role::kRank;
  int number = 0;  // of the rank

  /// "rank-3", "shim-3": its routing id, and the name that it proves.
  std::string Name() const;
  /// Nothing for any other spelling than that of Name: "shim-00", "rank-+1".
  static std::optional<Peer> Named(std::string_view name);

  bool operator==(const Peer&) const = default;
};

inline Peer RankPeer(int rank) { return {Peer::Role::kRank, rank}; }
inline Peer ShimPeer(int rank) { return {Peer::Role::kShim, rank}; }

/// What only the processes of a group know: 128 random bits as 32 hex digits. Throws HarnessError when the kernel gives
/// none.
std::string NewSecret();

}  // namespace zerocts
