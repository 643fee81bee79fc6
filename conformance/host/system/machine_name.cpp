#include "conformance/host/system/machine_name.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <chrono>

namespace zerocts {
namespace {

constexpr double kSoon = 1;  // seconds: what each start of ranks may lose

}  // namespace

std::string MachineName() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string LookUpComplaint(const std::string& name) {
  const auto start = std::chrono::steady_clock::now();
  addrinfo* addresses = nullptr;
  const int error = getaddrinfo(name.c_str(), nullptr, nullptr, &addresses);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (error != 0) return fmt::format("{} has no address: {}, after {:.1f} s", name, gai_strerror(error), seconds);
  freeaddrinfo(addresses);
  return seconds > kSoon ? fmt::format("{} was found after {:.1f} s", name, seconds) : "";
}

}  // namespace zerocts
