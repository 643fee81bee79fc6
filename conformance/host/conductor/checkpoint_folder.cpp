#include "conformance/host/conductor/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"

namespace zerocts {
namespace {

std::string NewPath(const std::string& parent) {
  static std::atomic<int> folders{0};
  return fmt::format("{}/checkpoint{}", parent, ++folders);
}

}  // namespace

CheckpointFolder::CheckpointFolder(const std::string& parent) : path_(NewPath(parent)) {
  std::error_code error;
  if (!std::filesystem::create_directory(path_, error)) {
    throw HarnessError(fmt::format("checkpoint folder {}: cannot make it: {}", path_, ReasonAndRemedy(error.value())));
  }
}

CheckpointFolder::~CheckpointFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace zerocts
