#include "conformance/cli/check/corpus_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "conformance/cli/installed.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

/// A case in the folder itself belongs to no clause, one in the folder of an unknown clause neither.
void RequireFoldersOfClauses(const std::string& corpus) {
  const std::vector<std::string> ids = AllClauseIds();
  for (const fs::directory_entry& entry : fs::directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    const bool holds_cases = entry.is_directory() ? name.front() != '.' : entry.path().extension() == ".json";
    if (!holds_cases || (entry.is_directory() && std::ranges::find(ids, name) != ids.end())) continue;
    throw UsageError(
        fmt::format("--corpus {}: expected folders that are named after clauses, got '{}'{}; its cases would not run",
                    corpus, name, DidYouMean(name, ids)));
  }
}

}  // namespace

std::string CorpusFolder(const std::string& given) {
  if (given.empty()) return InstalledPath("share/zerocts/corpus");
  if (!fs::is_directory(given)) {
    throw UsageError(fmt::format(
        "--corpus: expected a folder with one folder of cases per clause, got '{}', which is no folder", given));
  }
  RequireFoldersOfClauses(given);
  return given;
}

}  // namespace zerocts
