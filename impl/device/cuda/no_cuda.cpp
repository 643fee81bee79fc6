// This build has no CUDA compiler, or was told not to use it (ZEROCTS_WITH_CUDA).
#include "impl/device/device.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {

std::unique_ptr<Device> MakeCudaDevice(MemorySource&, const DeviceSettings&) {
  throw Unimplemented("device cuda is not in this build (ZEROCTS_WITH_CUDA)");
}

bool HasCuda() { return false; }

}  // namespace zerocts::engine
