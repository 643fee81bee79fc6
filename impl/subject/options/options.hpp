// The options of the native subject, --option key=value: what they set, and a table with a line for each.
#pragma once
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "impl/device/device.hpp"

namespace zerocts::engine {

/// Throws std::invalid_argument with the sentence unless it holds.
inline void Expect(bool holds, const std::string& sentence) {
  if (!holds) throw std::invalid_argument(sentence);
}

struct NativeOptions {
  std::string comm = "auto";            // auto, or a name of the table of backends
  bool nccl_native = false;             // comm nccl: by NCCL's own reduce-scatter
  bool nccl_shares_gpu = false;         // several ranks, processes, on one GPU
  bool nccl_registers = false;          // memory of collectives is registered with NCCL
  std::vector<int> ranks_per_host;      // pretended hosts of shm+mpi
  std::string device = "host";          // host, sim, cuda
  std::optional<std::string> strategy;  // a name of FSDP for stage and mesh
  DeviceSettings device_settings;       // which GPU; seed and capacity of the sim
};

struct Option {
  std::string key;
  std::string values;  // "off|on", or a pattern: "N|rank"
  std::string summary;
  /// Throws std::invalid_argument for a value that it does not take.
  std::function<void(NativeOptions& options, const std::string& value)> parse;
};

/// In the order in which they are listed.
const std::vector<Option>& OptionTable();

/// Throws std::invalid_argument for an unknown key, with the list of keys, for a value that its option does not take,
/// and for options that need another one.
NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace zerocts::engine
