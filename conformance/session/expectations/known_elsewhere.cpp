#include "conformance/session/expectations/known_elsewhere.hpp"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/session/expectations/expectations.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json KnownIn(const std::string& framework, const fs::path& path, const Failure& failure,
             const Configuration& configuration, const SessionSettings& settings) {
  const ExpectationsFile file = ExpectationsFromText(JsonFileText(path).value_or(""));
  for (const Expectation& e : file.entries) {
    const bool is_about = Covers(e, failure.c.clause, configuration, {settings.info.version, settings.subject.options});
    if (is_about && Expects(e, failure)) return {{"framework", framework}, {"issue", e.issue}, {"date", e.date}};
  }
  return nullptr;
}

}  // namespace

json KnownElsewhere(const Failure& failure, const Configuration& configuration, const SessionSettings& settings) {
  if (settings.known_failures.empty() || !settings.expectations.empty()) return nullptr;
  try {
    std::map<std::string, fs::path> files;  // by framework
    for (const fs::directory_entry& entry : fs::directory_iterator(settings.known_failures)) {
      if (entry.path().extension() == ".json") files[entry.path().stem()] = entry.path();
    }
    for (const auto& [framework, file] : files) {
      if (json known = KnownIn(framework, file, failure, configuration, settings); !known.is_null()) return known;
    }
  } catch (const std::exception&) {  // --expect with such a file says what is wrong with it
  }
  return nullptr;
}

}  // namespace zerocts
