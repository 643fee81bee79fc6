// Goes on as another program.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// words[0], which is sought in PATH, with these words. Comes back only where that cannot be started: why.
std::string Become(const std::vector<std::string>& words);

}  // namespace zerocts
