#include "conformance/host/system/own_program.hpp"

#include <filesystem>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

std::string OwnProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw HarnessError("cannot read /proc/self/exe: expected /proc to be mounted (mount -t proc proc /proc)");
  return program.string();
}

}  // namespace zerocts
