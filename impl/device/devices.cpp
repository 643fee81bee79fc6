// Device names of this build.
#include <fmt/format.h>

#include "impl/device/device.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {

std::unique_ptr<Device> MakeDevice(const std::string& name, MemorySource& memory, const DeviceSettings& settings) {
  if (name == "host") return MakeHostDevice(memory, settings);
  if (name == "sim") return MakeSimDevice(memory, settings);
  if (name == "cuda" && HasCuda()) return MakeCudaDevice(memory, settings);
  throw Unimplemented(
      fmt::format("device {} is not in this build; this build has: host, sim{}", name, HasCuda() ? ", cuda" : ""));
}

}  // namespace zerocts::engine
