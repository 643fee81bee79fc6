#include "conformance/host/output_tail.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace zerocts {

namespace {

constexpr size_t kTailBytes = 4096;

}  // namespace

size_t FileBytes(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}

std::string OutputTail(const std::string& path, size_t from) {
  const size_t bytes = FileBytes(path);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(std::max(from, bytes > kTailBytes ? bytes - kTailBytes : 0)));
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

}  // namespace zerocts
