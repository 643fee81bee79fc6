#include "conformance/cases/case/corpus.hpp"

#include <algorithm>
#include <filesystem>

namespace zerocts {

std::vector<std::string> SavedCases(const std::string& folder) {
  std::vector<std::string> paths;
  if (!std::filesystem::is_directory(folder)) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace zerocts
