// What stands in the folder of a checkpoint: every save in a folder of its own, save-0123456789abcdef, and the file
// `latest`, which names the one that counts and holds the hash of its index:
//   zerocts.checkpoint/2
//   7a1f..  save-0123456789abcdef/checkpoint.json
//   03bc..  latest
// Hashes are XXH3-128 in 32 digits; the last one is of the lines above it. A save counts from the moment in which a
// new `latest` takes the place of the old one.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts::engine {

inline constexpr const char* kCheckpointFormat = "zerocts.checkpoint/2";  // of `latest`, of the index and of the files

struct LatestSave {
  uint64_t id = 0;
  std::string index_hash;
  friend bool operator==(const LatestSave&, const LatestSave&) = default;
};

uint64_t NewSaveId();
std::string NameOfSave(uint64_t id);
std::string FolderOfSave(const std::string& folder, uint64_t id);
std::string IndexOfSave(const std::string& folder, uint64_t id);

/// Throws std::runtime_error with the path.
LatestSave ReadLatest(const std::string& folder);

/// A save from its first call on. What is not published is taken away, where that can be.
class UnpublishedSave {
 public:
  UnpublishedSave(std::string folder, uint64_t id);
  ~UnpublishedSave();
  UnpublishedSave(const UnpublishedSave&) = delete;
  UnpublishedSave& operator=(const UnpublishedSave&) = delete;

  /// When all that it consists of is on the disk. Throws std::runtime_error; then it may be published or not.
  void Publish(const std::string& index_hash);
  uint64_t id() const { return id_; }

 private:
  const std::string folder_;
  const uint64_t id_;
  bool may_be_published_ = false;
};

/// Those before it, and what is left of such as were never published. What cannot be removed waits for the next save.
void RemoveSavesBut(const std::string& folder, uint64_t id);

}  // namespace zerocts::engine
