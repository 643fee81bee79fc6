// Writes files and asks the terminal.
#include "conformance/cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

/// 0, or errno. A fifo is not waited for: it must have its reader.
int ErrorOfWriting(const std::string& path, const std::string& text) {
  errno = 0;
  const int reader = std::filesystem::is_fifo(path) ? open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC) : 0;
  if (reader < 0) return errno;
  std::ofstream out(path, std::ios::trunc);
  out << text << std::flush;
  if (out) return 0;
  return errno ? errno : EIO;
}

bool IsOpen(int file) { return fcntl(file, F_GETFD) >= 0; }

}  // namespace

void WriteFile(const std::string& path, const std::string& text) {
  const int error = ErrorOfWriting(path, text);
  if (error == 0) return;
  if (IsShortage(error)) throw HarnessError(fmt::format("cannot write {}: {}", path, ReasonAndRemedy(error)));
  throw UsageError(fmt::format("cannot write {}: {}; choose a place that is writable", path, std::strerror(error)));
}

void WriteResult(const std::string& path, const std::string& text) {
  const int error = ReplaceFile(path, {text});
  if (error != 0) throw HarnessError(fmt::format("cannot write {}: {}", path, ReasonAndRemedy(error)));
}

void RequireStandardOutput() {
  const bool given = IsOpen(STDOUT_FILENO);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (!IsOpen(file)) open("/dev/null", O_RDWR);  // takes the lowest number that is free: this one
  }
  if (given) return;
  throw HarnessError("standard output is closed: expected somewhere to print to; redirect it to a file or /dev/null");
}

bool FlushStandardOutput() { return std::fflush(stdout) == 0 && !std::ferror(stdout); }

int SayError(int exit_code, const std::string& sentence) {
  std::string line = Printable(sentence);
  std::ranges::replace(line, '\n', ' ');
  fmt::print(stderr, "zerocts: {}\n", line);
  return exit_code;
}

bool StandardOutputIsTerminal() { return isatty(STDOUT_FILENO) == 1; }

bool StandardOutputHasColor() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return StandardOutputIsTerminal() && (!no_color || !*no_color) && term && std::strcmp(term, "dumb") != 0;
}

}  // namespace zerocts
