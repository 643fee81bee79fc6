#include "conformance/plans/read/torch/zip_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace zerocts::read {
namespace {

using namespace std::string_view_literals;

constexpr size_t kEndBytes = 22, kLongestComment = 65535, kLocatorBytes = 20, kEnd64Bytes = 56;
constexpr std::string_view kEnd = "PK\5\6"sv, kLocator = "PK\6\7"sv, kEnd64 = "PK\6\6"sv;

uint64_t NumberAt(std::string_view bytes, size_t at, int size) {
  uint64_t number = 0;
  for (int i = size - 1; i >= 0; --i) number = number << 8 | static_cast<uint8_t>(bytes[at + i]);
  return number;
}

void RequireModest(uint64_t members, uint64_t bytes) {
  if (members > kMostMembers || bytes > kMostDirectoryBytes)
    throw std::invalid_argument(fmt::format("a zip of {} members in a directory of {} bytes: expected at most {} in {}",
                                            members, bytes, kMostMembers, kMostDirectoryBytes));
}

std::string BytesAt(std::ifstream& file, uint64_t at, size_t count) {
  std::string bytes(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

/// The end of a zip64 stands where a locator in front of the old end says.
void JudgeZip64(std::ifstream& file, const Window& window, std::string_view tail, size_t end) {
  if (end < kLocatorBytes || tail.substr(end - kLocatorBytes, 4) != kLocator) return;
  const uint64_t at = NumberAt(tail, end - kLocatorBytes + 8, 8);
  if (at > uint64_t{1} << 62) throw std::invalid_argument("a zip64 whose end stands beyond 2^62 bytes: refused");
  const std::string end64 = BytesAt(file, window.begin + at, kEnd64Bytes);
  if (end64.size() < kEnd64Bytes || !end64.starts_with(kEnd64)) return;  // the library says what is wrong with it
  RequireModest(NumberAt(end64, 32, 8), NumberAt(end64, 40, 8));
}

}  // namespace

void RequireModestDirectory(const std::string& path, const Window& window) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("expected a file that can be read; check its permissions");
  const uint64_t tail_bytes = std::min<uint64_t>(window.bytes, kEndBytes + kLongestComment + kLocatorBytes);
  const std::string tail = BytesAt(file, window.begin + window.bytes - tail_bytes, tail_bytes);
  bool any = false;
  for (size_t end = tail.find(kEnd); end != tail.npos; end = tail.find(kEnd, end + 1)) {
    if (tail.size() - end < kEndBytes) break;
    any = true;
    // 0xffff and 0xffffffff stand for the numbers of a zip64.
    const uint64_t members = NumberAt(tail, end + 10, 2), bytes = NumberAt(tail, end + 12, 4);
    RequireModest(members, bytes == 0xffffffff ? 0 : bytes);
    JudgeZip64(file, window, tail, end);
  }
  if (!any)
    throw std::invalid_argument(
        "expected the end of a zip of torch.save, got none: cut off, or no checkpoint, or saved before torch 1.6; save "
        "it again");
}

}  // namespace zerocts::read
