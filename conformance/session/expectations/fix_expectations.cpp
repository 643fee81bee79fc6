#include "conformance/session/expectations/fix_expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kAlternative = ", or as well ";  // of factors that the sizes of the case leave open

std::vector<json> RecordsOf(const std::vector<json>& records, const std::string& kind) {
  std::vector<json> found;
  std::ranges::copy_if(records, std::back_inserter(found),
                       [&](const json& record) { return record.at("record") == kind; });
  return found;
}

template <typename Item>
void Include(std::vector<Item>& items, const Item& item) {
  if (std::ranges::find(items, item) != items.end()) return;
  items.push_back(item);
  std::ranges::sort(items);
}

/// The case's new path, seen from the expectations file's folder.
std::string Adopted(const std::string& case_file, const fs::path& file) {
  const fs::path copy = fs::path(file.stem()) / fs::path(case_file).filename();
  std::error_code error;
  fs::create_directories(file.parent_path() / copy.parent_path(), error);
  fs::copy_file(case_file, file.parent_path() / copy, fs::copy_options::overwrite_existing, error);
  if (error)
    throw UsageError(
        fmt::format("--expect: expected a folder that can be written, got {} ({})", file.string(), error.message()));
  return copy.string();
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" "), end = text.find_last_not_of(" ");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

Expectation NewEntry(const json& failure, const std::string& today) {
  const std::string ending = failure.at("ending");
  return {.clause = failure.at("clause"),
          .when = {},
          .result = ending == "observed" ? Result::kFail : ResultFromString(ending),
          .message = LastingPart(failure.at("sentence")),
          .issue = "",
          .date = today,
          .case_file = "",
          .shown_by = {}};
}

/// Where a subject computes decides much; its other options are for readers of the entry.
std::vector<std::string> DeviceOf(const json& failure) {
  std::vector<std::string> options;
  for (const std::string& option : failure.at("options").get<std::vector<std::string>>()) {
    if (option.starts_with("device=")) options.push_back(option);
  }
  return options;
}

/// Failures of one clause that say the same become one entry, which the first case shows.
void Take(const json& failure, const std::string& version, const std::string& today, FixedExpectations& fixed) {
  const Expectation entry = NewEntry(failure, today);
  std::vector<Expectation>& entries = fixed.file.entries;
  auto same = std::find_if(entries.begin() + fixed.kept, entries.end(), [&](const Expectation& e) {
    return e.clause == entry.clause && e.result == entry.result && e.message == entry.message;
  });
  if (same == entries.end()) {
    entries.push_back(entry);
    same = entries.end() - 1;
    same->case_file = Adopted(failure.at("case_file"), fixed.file.path);
    const Case shown_by = CaseFromJson(failure.at("case"));  // it may have shrunk to fewer ranks
    same->when = {.world_sizes = {shown_by.world_size()},
                  .precisions = {shown_by.experiment.precision},
                  .launchers = {},
                  .versions = {version},
                  .features = {},
                  .options = DeviceOf(failure)};
    ++fixed.added;
  }
  Include(same->when.world_sizes, failure.at("world_size").get<int>());
  Include(same->when.precisions, PrecisionFromString(failure.at("precision")));
}

}  // namespace

std::string LastingPart(const std::string& sentence) {
  const std::string surely = sentence.substr(0, sentence.find(kAlternative));
  std::string longest;
  for (size_t begin = 0; begin < surely.size();) {
    const size_t end = std::min(surely.find_first_of("0123456789", begin), surely.size());
    const std::string part = Trimmed(surely.substr(begin, end - begin));
    if (part.size() > longest.size()) longest = part;
    begin = end + 1;
  }
  return longest;
}

FixedExpectations FixExpectations(const ExpectationsFile& old, const std::vector<json>& records,
                                  const std::string& today) {
  FixedExpectations fixed{.file = {.path = old.path, .subject = old.subject, .entries = {}}};
  const std::vector<json> seen = RecordsOf(records, "expectation");  // one per entry, in their order
  for (size_t i = 0; i < old.entries.size(); ++i) {
    if (seen.at(i).at("state") == "stale") {
      ++fixed.removed;
    } else {
      fixed.file.entries.push_back(old.entries[i]);
      ++fixed.kept;
    }
  }
  const std::string version = RecordsOf(records, "run").at(0).at("subject").at("version");
  for (const json& failure : RecordsOf(records, "failure")) {
    if (!failure.contains("expected") && failure.at("ending") != "harness_error") Take(failure, version, today, fixed);
  }
  return fixed;
}

}  // namespace zerocts
