// Saved cases: a folder of JSON files that run before random ones.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// Paths of the *.json files of a folder in name order; none when there is no such folder.
std::vector<std::string> SavedCases(const std::string& folder);

}  // namespace zerocts
