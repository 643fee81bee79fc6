// A device whose memory the host cannot reach, played by the host: between operations of streams its pages are closed,
// so a touch by the host kills the process, as it would with a GPU's. With ranks that are threads, a touch while some
// rank's operation has the pages open goes unseen.
#pragma once
#include <functional>
#include <memory>

#include "impl/device/device.hpp"

namespace zerocts::engine {

/// `make_ops`: what a compute stream computes with, one for each; nullptr: the host's operations.
using MakeOps = std::function<std::unique_ptr<Ops>()>;
std::unique_ptr<Device> MakeGuardedDevice(MemorySource& memory, MakeOps make_ops = nullptr);

/// As long as one of these lives, the memory of all guarded devices of this process is open: for what plays a library
/// of the accelerator.
class GuardedMemoryIsOpen {
 public:
  GuardedMemoryIsOpen();
  ~GuardedMemoryIsOpen();
  GuardedMemoryIsOpen(const GuardedMemoryIsOpen&) = delete;
  GuardedMemoryIsOpen& operator=(const GuardedMemoryIsOpen&) = delete;
};

}  // namespace zerocts::engine
