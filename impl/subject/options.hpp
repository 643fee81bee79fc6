// The options of the native subject: --option key=value.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impl/device/device.hpp"

namespace zerocts::engine {

struct NativeOptions {
  std::string comm = "auto";            // auto, threads, shm, mpi, shm+mpi, nccl, nccl-native
  bool nccl_shares_gpu = false;         // several ranks, processes, on one GPU
  bool nccl_registers = false;          // memory of collectives is registered with NCCL
  std::vector<int> ranks_per_host;      // pretended hosts of shm+mpi
  std::string device = "host";          // host, sim, cuda
  std::optional<std::string> strategy;  // a name of FSDP for the stage
  DeviceSettings device_settings;       // which GPU; seed and capacity of the sim
};

/// Throws std::invalid_argument for an unknown key, with the list of keys, for a value that is no number, and for hosts
/// of a transport that knows none.
NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace zerocts::engine
