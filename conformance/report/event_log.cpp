// Writes and reads results.ndjson.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "conformance/host/group.hpp"
#include "conformance/report/record.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

using nlohmann::json;

EventLog::EventLog(const std::string& path) {
  std::error_code ignored;  // the open below says what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  out_.open(path, std::ios::trunc);
  if (!out_) {
    throw UsageError(fmt::format("cannot write {}: {}; choose a writable folder with --out", path, std::strerror(errno)));
  }
}

void EventLog::Write(const json& record) {
  if (!out_.is_open()) return;  // a default-constructed log keeps nothing
  // Ranks may print bytes that are no UTF-8; they must not cost the record.
  out_ << record.dump(-1, ' ', false, json::error_handler_t::replace) << '\n' << std::flush;
  if (!out_) throw HarnessError("cannot write to the event log; is the disk full?");
}

std::vector<json> ReadEventLog(const std::string& path) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path)) {
    throw UsageError(fmt::format("expected the results.ndjson of a run, got {}, which cannot be read", path));
  }
  std::vector<json> records;
  for (std::string line; std::getline(in, line);) {
    std::string problem = "is no record";
    try {
      json record = ParseJson(line);
      if (record.is_object() && record.contains("record")) {
        records.push_back(std::move(record));
        continue;
      }
    } catch (const JsonTextError& wrong) {
      problem += fmt::format(": {}", wrong.what());
    }
    // A run that was killed while writing leaves half a line at the end; everything before it stands.
    const bool cut_off_line = in.eof() && !records.empty();
    if (cut_off_line) break;
    throw UsageError(fmt::format("expected the results.ndjson of a run, got {}, whose line {} {}", path,
                                 records.size() + 1, problem));
  }
  return records;
}

}  // namespace zerocts
