#include "conformance/report/log/log_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAnother = "another zerocts";

/// The folder of a run, where it is one's log.
std::string PlaceOf(const fs::path& path) {
  return path.filename() == "results.ndjson" ? path.parent_path().string() : path.string();
}

/// "another zerocts (pid 1234)", by the first line of its log; it may not stand there yet.
std::string WriterOf(const std::string& path) {
  try {
    std::ifstream log = OpenUserFile(path);
    std::string line;
    std::getline(log >> std::ws, line);
    const nlohmann::json run = ParseJson(line);
    const bool is_named = run.is_object() && run.contains("pid") && run.at("pid").is_number_integer();
    if (is_named) return fmt::format("{} (pid {})", kAnother, run.at("pid").dump());
  } catch (const std::exception&) {
  }
  return kAnother;
}

}  // namespace

LogLock::LogLock(const std::string& path) {
  const bool is_folder = fs::is_directory(path), is_device = fs::is_character_file(path);  // /dev/null is everybody's
  if (!is_device) OpenUserFile(path, std::numeric_limits<uint64_t>::max());
  file_ = open(path.c_str(), is_folder ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw UsageError(fmt::format("cannot write {}: {}; choose a place that is writable", path, std::strerror(errno)));
  if (is_device || flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) return;  // there are file systems without locks
  close(file_);
  throw UsageError(
      fmt::format("expected a place that no run writes to, got {}, where {} still does; wait for it, or choose another",
                  PlaceOf(path), is_folder ? kAnother : WriterOf(path)));
}

LogLock::~LogLock() { close(file_); }

}  // namespace zerocts
