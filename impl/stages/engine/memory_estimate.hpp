// What an engine will hold, from its settings alone: the stores are built on memory that is counted and never made.
#pragma once
#include "impl/comm/buffer.hpp"
#include "impl/stages/arrangement/arrangement.hpp"

namespace zerocts::engine {

/// Bytes of rank `rank`, between two steps and at the peak (all of an engine's memory is taken when it is made). What
/// the transport holds for its messages (Communicator::staging_bytes) comes on top. Local.
MemoryLedger EstimateMemory(const EngineSettings& settings, int rank, int world_size);

}  // namespace zerocts::engine
