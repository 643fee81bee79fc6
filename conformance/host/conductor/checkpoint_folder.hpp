// Where ranks leave a checkpoint: empty at first, gone when the runs that share it are over, however they ended.
#pragma once
#include <string>

namespace zerocts {

class CheckpointFolder {
 public:
  /// A new one in `parent`, whose owner removes it should this process die. Throws HarnessError.
  explicit CheckpointFolder(const std::string& parent);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

}  // namespace zerocts
