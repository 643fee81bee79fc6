#include "conformance/cli/become.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace zerocts {

std::string Become(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return std::strerror(errno);
}

}  // namespace zerocts
