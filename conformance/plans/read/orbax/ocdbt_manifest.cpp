#include "conformance/plans/read/orbax/ocdbt_manifest.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "conformance/plans/read/files.hpp"

namespace zerocts::read {

std::string ProblemOfManifest(const std::string& folder, const std::string& name) {
  constexpr std::string_view kMagic = "\x0c\xdb\x3a\x2a";
  const std::string path = folder + "/" + name;
  if (!IsFile(path)) return fmt::format("file {} is missing", name);
  std::array<char, 12> head{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), head.size()) || !std::string_view(head.data(), head.size()).starts_with(kMagic))
    return fmt::format("file {} is no manifest of OCDBT", name);
  uint64_t length = 0;
  for (size_t i = head.size(); i-- > kMagic.size();) length = length << 8 | static_cast<unsigned char>(head[i]);
  const uint64_t bytes = BytesOfFile(path);
  return bytes == length ? "" : fmt::format("file {} has {} bytes: expected {}, as it says", name, bytes, length);
}

}  // namespace zerocts::read
