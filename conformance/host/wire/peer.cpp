#include "conformance/host/wire/peer.hpp"

#include <fmt/format.h>

#include <charconv>

namespace zerocts {

std::string Peer::Name() const { return fmt::format("{}-{}", role == Role::kRank ? "rank" : "shim", number); }

std::optional<Peer> Peer::Named(std::string_view name) {
  const std::string_view digits = name.substr(name.find('-') + 1);
  Peer peer;
  std::from_chars(digits.data(), digits.data() + digits.size(), peer.number);
  for (const Role role : {Role::kRank, Role::kShim}) {
    peer.role = role;
    if (peer.number >= 0 && peer.Name() == name) return peer;
  }
  return std::nullopt;
}

}  // namespace zerocts
