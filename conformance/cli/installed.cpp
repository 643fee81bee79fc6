// Finds and reads what is installed.
#include "conformance/cli/installed.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/programs.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

std::string InstalledPath(const std::string& relative) {
  return std::filesystem::path(OwnProgram()).parent_path().parent_path() / relative;
}

std::vector<InstalledMutant> InstalledMutants() {
  const std::string path = InstalledPath("lib/zerocts/mutants/mutants.json");
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) return {};
  std::vector<InstalledMutant> mutants;
  try {
    for (const nlohmann::json& entry : ParseJson(*text)) {
      mutants.push_back({.id = entry.at("id"),
                         .title = entry.at("title"),
                         .subject = entry.at("subject"),
                         .clauses = entry.at("clauses"),
                         .bugs = entry.at("bugs"),
                         .options = entry.value("options", std::vector<std::string>{}),
                         .plan = entry.value("plan", std::string()),
                         .ranks = entry.value("ranks", std::string()),
                         .benign = entry.value("benign", false)});
    }
  } catch (const JsonTextError& wrong) {
    throw HarnessError(
        fmt::format("the list of mutants {} is broken: {}; build or install zerocts again", path, wrong.what()));
  } catch (const nlohmann::json::exception&) {
    throw HarnessError(fmt::format("the list of mutants {} is broken; build or install zerocts again", path));
  }
  return mutants;
}

}  // namespace zerocts
