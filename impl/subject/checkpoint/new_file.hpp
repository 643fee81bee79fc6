// Writing so that it is on the disk when a call returns: what a crash leaves is then what was written before a certain
// call, and nothing of what comes after it.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts::engine {

/// A file that was not there before. All throw std::runtime_error with the path.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void Write(uint64_t offset, const void* values, uint64_t bytes);
  void Finish();

 private:
  const std::string path_;
  int descriptor_ = -1;
};

void WriteNewFile(const std::string& path, const std::string& text);
/// Its entry in the folder above is on the disk after SyncFolder of that one, as the entries of files are.
void MakeFolder(const std::string& path);
void SyncFolder(const std::string& path);
/// In one instant, over what stands there.
void MoveFile(const std::string& from, const std::string& to);

}  // namespace zerocts::engine
