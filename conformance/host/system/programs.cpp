#include "conformance/host/system/programs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

bool IsOnPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string OwnProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw HarnessError("cannot read /proc/self/exe: expected /proc to be mounted (mount -t proc proc /proc)");
  return program.string();
}

}  // namespace zerocts
