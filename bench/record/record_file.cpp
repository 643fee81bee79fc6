#include "bench/record/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/steady_time.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

constexpr auto kLockDeadline = std::chrono::seconds(20);
constexpr JsonLimits kFileLimits{.bytes = size_t{1} << 30};
constexpr JsonLimits kLineLimits{.bytes = size_t{16} << 20, .levels = 8, .values = 1'000'000};

[[noreturn]] void ThrowCannotWrite(const std::string& path) {
  throw UsageError(fmt::format("{}: expected a file of records that can be written, got \"{}\"; choose another place",
                               path, std::strerror(errno)));
}

/// Opened for appending, and locked until destroyed.
class LockedFile {
 public:
  explicit LockedFile(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) ThrowCannotWrite(path);
    const SteadyTime until = After(kLockDeadline);
    while (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {  // else: a file system without locks
      if (MillisecondsTo(until).count() == 0) {
        close(file_);
        throw UsageError(fmt::format("{}: expected its writer to finish within {} s; end it, or choose another place",
                                     path, kLockDeadline.count()));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  ~LockedFile() { close(file_); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  void Append(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(file_, text.data(), text.size());
      if (written < 0 && errno != EINTR) ThrowCannotWrite(path_);
      if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    }
  }

 private:
  const std::string path_;
  const int file_;
};

std::string TextOf(const std::string& path) {
  const auto text = JsonFileText(path, kFileLimits);
  if (!text) {
    throw UsageError(fmt::format("{}: expected a file of records that can be read; check the path", path));
  }
  if (text->size() > kFileLimits.bytes) throw UsageError(fmt::format("{}: expected at most 1 GiB of records", path));
  return *text;
}

BenchRecord RecordOfLine(const std::string& path, size_t number, std::string_view line) {
  try {
    return RecordFromJson(ParseJson(line, kLineLimits));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(
        fmt::format("{}, line {}: expected a record of a benchmark: {}; remove the line, or name another file", path,
                    number, wrong.what()));
  }
}

[[noreturn]] void ThrowTorn(const std::string& path) {
  throw UsageError(fmt::format("{}: expected a line break at the end, got a torn last line; remove it", path));
}

std::vector<BenchRecord> RecordsIn(const std::string& path, std::string_view text) {
  std::vector<BenchRecord> records;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) ThrowTorn(path);
    records.push_back(RecordOfLine(path, number, text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  return records;
}

/// By its first line and its last byte, so that a long history is not read for every new line.
void ExpectRecordsIn(const std::string& path) {
  std::ifstream in = OpenUserFile(path);
  std::string first;
  if (!std::getline(in, first)) return;  // empty
  in.clear();
  in.seekg(-1, std::ios::end);
  if (in.get() != '\n') ThrowTorn(path);
  RecordOfLine(path, 1, first);
}

}  // namespace

void AppendRecords(const std::string& path, const std::vector<BenchRecord>& records) {
  std::string lines;
  for (const BenchRecord& record : records) lines += LineOf(record) + '\n';
  LockedFile file(path);
  if (std::filesystem::is_regular_file(path)) ExpectRecordsIn(path);
  file.Append(lines);
}

std::vector<BenchRecord> ReadRecords(const std::string& path) {
  std::vector<BenchRecord> records = RecordsIn(path, TextOf(path));
  if (records.empty()) throw UsageError(fmt::format("{}: expected at least one record, got an empty file", path));
  return records;
}

}  // namespace zerocts
