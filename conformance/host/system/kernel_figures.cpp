#include "conformance/host/system/kernel_figures.hpp"

#include <algorithm>
#include <fstream>

namespace zerocts {

std::optional<int64_t> FindBytes(const std::string& path, std::initializer_list<std::string> names) {
  std::optional<int64_t> sum;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || std::ranges::find(names, line.substr(0, colon)) == names.end()) continue;
    sum = sum.value_or(0) + std::stoll(line.substr(colon + 1)) * 1024;
  }
  return sum;
}

}  // namespace zerocts
