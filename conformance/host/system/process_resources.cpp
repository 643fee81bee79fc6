#include "conformance/host/system/process_resources.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "conformance/host/system/page_bytes.hpp"

namespace zerocts {
namespace {

std::optional<int64_t> EntriesOf(const char* folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) return std::nullopt;
  return std::distance(begin(entries), end(entries));
}

}  // namespace

std::optional<int64_t> OpenFileCount() {
  const std::optional<int64_t> files = EntriesOf("/proc/self/fd");
  return files ? std::optional(*files - 1) : std::nullopt;  // one is the folder itself
}

std::optional<int64_t> ThreadCount() { return EntriesOf("/proc/self/task"); }

std::optional<int64_t> MappedBytes() {
  int64_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return std::nullopt;
  return pages * static_cast<int64_t>(kPageBytes);
}

}  // namespace zerocts
