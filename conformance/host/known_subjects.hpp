// Subjects that came with zerocts as plugins.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// Their names: the shared libraries in lib/zerocts/subjects beside the program's bin, in name order.
std::vector<std::string> KnownSubjects();

}  // namespace zerocts
