#include "conformance/cli/machine/host_name.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <chrono>

namespace zerocts {
namespace {

constexpr double kSoon = 1;  // seconds: what each start of ranks may lose

std::string OwnName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

HostName LookUpHostName() {
  const std::string name = OwnName();
  const auto start = std::chrono::steady_clock::now();
  addrinfo* addresses = nullptr;
  const int error = getaddrinfo(name.c_str(), nullptr, nullptr, &addresses);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (error == 0) freeaddrinfo(addresses);
  if (error != 0)
    return {name, fmt::format("{} has no address: {}, after {:.1f} s", name, gai_strerror(error), seconds)};
  if (seconds > kSoon) return {name, fmt::format("{} was found after {:.1f} s", name, seconds)};
  return {name, ""};
}

}  // namespace zerocts
