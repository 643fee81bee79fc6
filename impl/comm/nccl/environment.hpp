// What NCCL is told through the environment, which it reads when a communicator is made. A variable that is set
// already, to something else, is refused: std::invalid_argument.
#pragma once

namespace zerocts::engine {

/// The Ring algorithm for everything, so that sums have its order.
void PinNcclToRing();

/// Several ranks, processes, on one GPU: NCCL refuses that unless each says that it is a host of its own, and then
/// moves everything through sockets of the loopback. For tests of function only, never for figures. To be called before
/// this process makes its first communicator.
void LetNcclRanksShareAGpu(int rank);

}  // namespace zerocts::engine
