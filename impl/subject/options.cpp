#include "impl/subject/options.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace zerocts {

NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options) {
  NativeOptions parsed;
  for (const auto& [key, value] : options) {
    if (key == "comm") {
      parsed.comm = value;
    } else if (key == "device") {
      parsed.device = value;
    } else if (key == "strategy") {
      parsed.strategy = value;
    } else {
      throw std::invalid_argument(fmt::format(
          "option {} is unknown; this subject has: comm=auto|threads|shm|mpi, device=host, strategy=NoShard", key));
    }
  }
  return parsed;
}

}  // namespace zerocts
