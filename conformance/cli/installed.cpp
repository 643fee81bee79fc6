// Finds and reads what is installed.
#include "conformance/cli/installed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/host/group.hpp"

namespace zerocts {

namespace fs = std::filesystem;

std::string InstalledPath(const std::string& relative) {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / relative;
}

std::vector<std::string> InstalledSubjects() {
  std::vector<std::string> names;
  std::error_code no_folder;
  for (const auto& entry : fs::directory_iterator(InstalledPath("lib/zerocts/subjects"), no_folder)) {
    if (entry.path().extension() == ".so") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<InstalledMutant> InstalledMutants() {
  const std::string path = InstalledPath("lib/zerocts/mutants/mutants.json");
  std::ifstream in(path);
  if (!in) return {};
  std::vector<InstalledMutant> mutants;
  try {
    for (const nlohmann::json& entry : nlohmann::json::parse(in)) {
      mutants.push_back({.id = entry.at("id"),
                         .title = entry.at("title"),
                         .subject = entry.at("subject"),
                         .clauses = entry.at("clauses"),
                         .bugs = entry.at("bugs"),
                         .benign = entry.value("benign", false)});
    }
  } catch (const nlohmann::json::exception& error) {
    throw HarnessError(fmt::format("the list of mutants {} is broken: {}; build or install zerocts again", path, error.what()));
  }
  return mutants;
}

}  // namespace zerocts
