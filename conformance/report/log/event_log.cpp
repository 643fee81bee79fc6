// Writes and reads results.ndjson.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/log/record.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

fs::path PreviousOf(const fs::path& log) {
  return log.parent_path() / (log.stem().string() + ".previous" + log.extension().string());
}

/// results.previous.ndjson beside results.ndjson. A copy, since the lock stays with the file itself.
void KeepPrevious(const fs::path& log) {
  std::error_code error;
  if (!fs::is_regular_file(log, error) || fs::file_size(log, error) == 0) return;
  const fs::path kept = PreviousOf(log), copy = kept.string() + ".new";
  fs::remove(copy, error);
  if (fs::copy_file(log, copy, error)) fs::rename(copy, kept, error);
  if (error)
    throw UsageError(fmt::format("cannot keep the log of the run before as {}: {}; choose another folder with --out",
                                 kept.string(), error.message()));
}

}  // namespace

EventLog::EventLog(const std::string& path) {
  std::error_code ignored;  // the lock and the stream say what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  SetLinkAside(path, PreviousOf(path));
  lock_.emplace(path);
  KeepPrevious(path);
  out_.open(path, std::ios::trunc);
  if (!out_) {
    throw UsageError(
        fmt::format("cannot write {}: {}; choose a writable folder with --out", path, std::strerror(errno)));
  }
}

void EventLog::Write(const json& record) {
  if (!out_.is_open()) return;  // a default-constructed log keeps nothing
  out_ << chain_.Link(record) << '\n' << std::flush;
  if (!out_) throw HarnessError("cannot write to the event log; is the disk full?");
  counts_.Add(record);
}

LoggedRecords ReadEventLog(const std::string& path) {
  std::ifstream in = OpenUserFile(path);
  if (!in.is_open()) {
    throw UsageError(fmt::format("expected the results.ndjson of a run, got {}, which cannot be read", path));
  }
  LoggedRecords log;
  LogChain chain;
  for (std::string line; log.damage.empty() && std::getline(in, line);) {
    const size_t number = log.records.size() + 1;
    std::string problem = fmt::format("no record stands in line {}", number);
    json record;
    try {
      record = ParseJson(line);
    } catch (const JsonTextError& wrong) {
      problem += fmt::format("; in its text, {}", wrong.what());
      if (in.eof()) problem = fmt::format("the log was cut off in line {}", number);
    }
    if (record.is_object() && record.contains("record")) {
      log.damage = chain.Unlink(record);
    } else if (number == 1 && !line.starts_with('{')) {
      throw UsageError(fmt::format("expected the results.ndjson of a run, got {}, whose line 1 is no record", path));
    } else {
      log.damage = std::move(problem);
    }
    if (log.damage.empty()) log.records.push_back(std::move(record));
  }
  return log;
}

}  // namespace zerocts
