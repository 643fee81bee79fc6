#include "conformance/cli/report/run_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {

namespace fs = std::filesystem;

std::vector<std::string> LogsOf(const std::string& run) {
  if (!fs::exists(run))
    throw UsageError(fmt::format("expected a run of zerocts check, got {}, which does not exist", run));
  const std::string log = run + "/results.ndjson";
  if (!fs::is_directory(run)) return {run};
  std::vector<std::string> logs;
  for (const fs::directory_entry& folder : fs::directory_iterator(run)) {
    if (const fs::path inside = folder.path() / "results.ndjson"; fs::is_regular_file(inside)) logs.push_back(inside);
  }
  if (logs.empty() || fs::exists(log)) return {log};
  std::ranges::sort(logs);
  return logs;
}

FileKind KindOf(const std::string& path) {
  std::error_code none;
  if (!fs::exists(path, none)) return FileKind::kMissing;
  if (fs::is_directory(path, none)) return FileKind::kRun;
  std::ifstream in = OpenUserFile(path);
  std::string line;
  if (!std::getline(in, line)) return FileKind::kOther;
  try {
    const nlohmann::json record = ParseJson(line);
    const nlohmann::json kind = record.is_object() ? record.value("record", nlohmann::json()) : nlohmann::json();
    if (kind == "run") return FileKind::kRun;
    if (kind == "header") return FileKind::kTrace;
  } catch (const JsonTextError&) {
  }
  return FileKind::kOther;
}

}  // namespace zerocts
