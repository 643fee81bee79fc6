#include "conformance/cli/check/results_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

namespace zerocts {

std::string DefaultFolder(const SubjectSpec& subject, uint64_t seed) {
  std::string name = subject.plugin.empty() ? subject.text : std::filesystem::path(subject.plugin).stem().string();
  const std::vector<std::string> known = KnownSubjects();
  if (subject.text != name && std::ranges::find(known, name) != known.end()) name = "plugin-" + name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  }
  return fmt::format("zerocts-results/{}-seed-{}", name.substr(0, 64), seed);
}

}  // namespace zerocts
