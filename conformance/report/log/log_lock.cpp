#include "conformance/report/log/log_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

/// "another zerocts check (pid 1234)", by the first line of its log; it may not stand there yet.
std::string WriterOf(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  try {
    const nlohmann::json run = ParseJson(line);
    const bool is_named = run.is_object() && run.contains("pid") && run.at("pid").is_number_integer();
    if (is_named) return fmt::format("another zerocts check (pid {})", run.at("pid").dump());
  } catch (const JsonTextError&) {
  }
  return "another zerocts check";
}

}  // namespace

LogLock::LogLock(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (file_ < 0) {
    throw UsageError(
        fmt::format("cannot write {}: {}; choose a writable folder with --out", path, std::strerror(errno)));
  }
  struct stat file {};
  const bool is_device = fstat(file_, &file) == 0 && !S_ISREG(file.st_mode);  // /dev/null is everybody's
  if (is_device || flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) return;  // there are file systems without locks
  close(file_);
  throw UsageError(
      fmt::format("expected a folder that no run writes to, got {}, where {} still does; wait for it, or "
                  "choose another folder with --out",
                  std::filesystem::path(path).parent_path().string(), WriterOf(path)));
}

LogLock::~LogLock() { close(file_); }

}  // namespace zerocts
