#include "conformance/host/wire/peer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "conformance/host/system/errors.hpp"

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

std::string NewSecret() {
  std::array<uint8_t, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw HarnessError(fmt::format("cannot draw a secret for a group: {}", std::strerror(errno)));
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace zerocts
