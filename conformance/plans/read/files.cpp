#include "conformance/plans/read/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "conformance/plans/read/printable.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts::read {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNames = size_t{1} << 17;

}  // namespace

bool IsFile(const std::string& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

bool IsFolder(const std::string& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

uint64_t BytesOfFile(const std::string& path) {
  std::error_code failed;
  if (!IsFile(path)) throw std::invalid_argument("expected a regular file that can be read; check the path");
  const uint64_t bytes = fs::file_size(path, failed);
  if (failed) throw std::invalid_argument("expected a file whose size can be asked for; check its permissions");
  return bytes;
}

std::string TextOfFile(const std::string& path, uint64_t most) {
  const uint64_t bytes = BytesOfFile(path);
  if (bytes > most) throw std::invalid_argument(fmt::format("it has {} bytes: expected at most {}", bytes, most));
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes)))
    throw std::invalid_argument("expected a file that can be read; check its permissions");
  return text;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (names.size() >= kMostNames)
      throw std::invalid_argument(fmt::format("more than {} files in one folder: refused", kMostNames));
    names.push_back(entry->path().filename().string());
    if (!IsPrintable(names.back()))
      throw std::invalid_argument(
          fmt::format("expected names of files in printable UTF-8, got \"{}\"", ShownBytes(names.back())));
  }
  if (failed) throw std::invalid_argument("expected a folder that can be listed; check its permissions");
  std::sort(names.begin(), names.end());
  return names;
}

void RequirePlainName(std::string_view name, std::string_view of) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == name.npos && IsPrintable(name)) return;
  throw std::invalid_argument(
      fmt::format("{} names \"{}\": expected the name of a file beside it", of, ShownBytes(name)));
}

}  // namespace zerocts::read
