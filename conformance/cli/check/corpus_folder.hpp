// The folder of saved cases that run first: one folder of JSON files for each clause.
#pragma once
#include <string>

namespace zerocts {

/// `given` by --corpus, or where the suite's own is installed. Throws UsageError for anything in it that would not run.
std::string CorpusFolder(const std::string& given);

}  // namespace zerocts
