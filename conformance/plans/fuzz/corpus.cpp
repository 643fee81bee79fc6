#include "conformance/plans/fuzz/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".request.json";

PlanningRequest RequestIn(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) throw UsageError(fmt::format("--corpus {}: expected a file that can be read; check the path", path));
  try {
    return RequestFromText(*text);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("--corpus {}: {}", path, wrong.what()));
  }
}

void Write(const std::string& path, const std::string& text) {
  if (ReplaceFile(path, {text}) != 0)
    throw UsageError(fmt::format("--out: expected a folder that can be written to, {} cannot be made", path));
}

}  // namespace

std::vector<PlanningRequest> RequestsIn(const std::string& path) {
  std::vector<std::string> files;
  std::error_code none;
  if (fs::is_directory(path, none)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path, none)) {
      if (entry.path().string().ends_with(kEnding)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
      throw UsageError(fmt::format("--corpus {}: expected files *{} in it, found none", path, kEnding));
  } else {
    files = {path};
  }
  std::vector<PlanningRequest> requests;
  for (const std::string& file : files) requests.push_back(RequestIn(file));
  return requests;
}

SavedCase Save(const std::string& folder, const std::string& name, const PlanningRequest& request,
               const std::optional<plan::Plan>& plan) {
  std::error_code failed;  // the file that cannot be written says it
  fs::create_directories(folder, failed);
  std::string stem = name;
  std::replace(stem.begin(), stem.end(), ' ', '-');
  SavedCase saved{.request = (fs::path(folder) / (stem + kEnding)).string(), .plan = ""};
  Write(saved.request, RequestLine(request) + "\n");
  if (!plan) return saved;
  saved.plan = (fs::path(folder) / (stem + ".plan.json")).string();
  Write(saved.plan, JsonText(*plan));
  return saved;
}

}  // namespace zerocts
