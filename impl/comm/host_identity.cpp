#include "impl/comm/host_identity.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace zerocts::engine {
namespace {

constexpr const char* kBoot = "/proc/sys/kernel/random/boot_id";  // drawn when the kernel starts

}  // namespace

HostIdentity IdentityOfThisHost() {
  std::string text;
  std::getline(std::ifstream(kBoot), text);
  if (text.empty())
    throw std::runtime_error(std::string("comm shm+mpi: cannot tell hosts apart: ") + kBoot + " is not to be read");
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/user"}) {
    text += ' ' + std::filesystem::read_symlink(space).string();
  }
  HostIdentity identity = {};
  if (text.size() > identity.size())
    throw std::runtime_error("comm shm+mpi: cannot tell hosts apart by '" + text +
                             "': expected at most 128 characters");
  std::ranges::copy(text, identity.begin());
  return identity;
}

}  // namespace zerocts::engine
