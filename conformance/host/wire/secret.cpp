#include "conformance/host/wire/secret.hpp"

#include <fmt/ranges.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

std::string NewSecret() {
  std::array<uint8_t, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw HarnessError(fmt::format("cannot draw a secret for a group: {}", std::strerror(errno)));
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace zerocts
