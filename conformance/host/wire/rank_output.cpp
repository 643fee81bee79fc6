#include "conformance/host/wire/rank_output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string_view>

namespace zerocts {

namespace {

constexpr size_t kTailBytes = 4096;
constexpr std::string_view kBlanks{" \n\r\t\0", 5};

}  // namespace

std::string OutputPath(const std::string& group_folder, int rank) {
  return fmt::format("{}/rank{}.log", group_folder, rank);
}

std::string SaidTooMuch(size_t bytes) {
  return fmt::format("said too much: {} MiB of output, where at most {} MiB are taken in a case", bytes >> 20,
                     kMostOutputBytes >> 20);
}

size_t FileBytes(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
}

std::string OutputTail(const std::string& path) {
  const size_t bytes = FileBytes(path);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(bytes > kTailBytes ? bytes - kTailBytes : 0));
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.erase(text.find_last_not_of(kBlanks) + 1);
  return text;
}

void ForgetOutput(const std::string& path) { [[maybe_unused]] const int missing = truncate(path.c_str(), 0); }

}  // namespace zerocts
