// The options of the native subject: --option key=value.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zerocts {

struct NativeOptions {
  std::string comm = "auto";            // auto, threads, shm, mpi
  std::string device = "host";          // host
  std::optional<std::string> strategy;  // a name of FSDP for the stage
};

/// Throws std::invalid_argument for an unknown key, with the list of keys.
NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace zerocts
