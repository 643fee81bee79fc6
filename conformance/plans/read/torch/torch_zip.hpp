// What torch.save writes: a zip whose member ARCHIVE/data.pkl is a pickle and whose members ARCHIVE/data/KEY are
// storages. The pickle alone is read; of storages the sizes, from the zip's directory.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace zerocts::read {

struct TorchZip {
  std::string pickle;                       // the bytes of data.pkl
  std::map<std::string, int64_t> storages;  // bytes by key
};

inline constexpr uint64_t kMostMembers = 200'000;
inline constexpr uint64_t kMostDirectoryBytes = uint64_t{16} << 20;

/// Some bytes of a file, which has them.
struct Window {
  uint64_t begin = 0, bytes = 0;
};

/// Throws std::invalid_argument: no zip of torch.save, one of before torch 1.6, compressed or encrypted members (which
/// torch never writes), members that together are larger than the whole, or a directory beyond the limits.
TorchZip ReadTorchZip(const std::string& path, const Window& window);
TorchZip ReadTorchZip(const std::string& path);

}  // namespace zerocts::read
