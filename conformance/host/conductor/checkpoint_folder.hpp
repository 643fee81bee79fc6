// Where ranks leave a checkpoint: empty at first, gone when the runs that share it are over, however they ended.
#pragma once
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"

namespace zerocts {

class CheckpointFolder {
 public:
  /// A new one in `parent`, whose owner removes it should this process die. Throws HarnessError.
  explicit CheckpointFolder(const std::string& parent) : path_(NewPath(parent)) {
    std::error_code error;
    if (!std::filesystem::create_directory(path_, error)) {
      throw HarnessError(
          fmt::format("checkpoint folder {}: cannot make it: {}", path_, ReasonAndRemedy(error.value())));
    }
  }
  ~CheckpointFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  static std::string NewPath(const std::string& parent) {
    static std::atomic<int> folders{0};
    return fmt::format("{}/checkpoint{}", parent, ++folders);
  }

  const std::string path_;
};

}  // namespace zerocts
