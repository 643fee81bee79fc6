// A build without NCCL's header.
#include "impl/comm/backends.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

[[noreturn]] void RefuseWithoutNccl() {
  throw Unimplemented(
      "backend nccl is not in this build (ZEROCTS_WITH_NCCL=OFF, or no nccl.h was found); with ranks that are threads "
      "of "
      "one process, GPUs are served by comm threads");
}

}  // namespace

std::unique_ptr<Communicator> MakeNcclCommunicator(const CommunicatorSettings&) { RefuseWithoutNccl(); }
std::unique_ptr<Communicator> MakeNcclNativeCommunicator(const CommunicatorSettings&) { RefuseWithoutNccl(); }
std::vector<std::unique_ptr<Communicator>> MakeNcclGroups(const std::vector<CommunicatorSettings>&) {
  RefuseWithoutNccl();
}
bool HasNccl() { return false; }

}  // namespace zerocts::engine
