// Writes files and asks the terminal.
#include "conformance/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "conformance/host/group.hpp"

namespace zerocts {

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::trunc);
  out << text << std::flush;
  if (!out) throw UsageError(fmt::format("cannot write {}: {}; choose a place that is writable", path, std::strerror(errno)));
}

bool StandardOutputHasColor() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && (!no_color || !*no_color) && term && std::strcmp(term, "dumb") != 0;
}

}  // namespace zerocts
