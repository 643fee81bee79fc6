// zerocts_open_args to one rank's engine.
#pragma once
#include <memory>

#include "conformance/abi/zerocts_subject.h"
#include "impl/stages/engine/engine.hpp"
#include "impl/stages/rank/mesh_groups.hpp"
#include "impl/subject/open/host_services.hpp"

/// One rank of the native subject. Members are destroyed from the last to the first: the engine before the transport
/// that carries it.
struct zerocts_engine {
  zerocts_engine(const zerocts_host& host, int rank, int world_size)
      : rank(rank), world_size(world_size), memory(host) {}

  const int rank, world_size;
  zerocts::engine::HostMemorySource memory;
  std::unique_ptr<zerocts::engine::Device> device;
  zerocts::engine::RankGroups groups;
  zerocts::engine::MemoryLedger estimate;
  std::unique_ptr<zerocts::engine::Engine> engine;
};

namespace zerocts::engine {

inline constexpr uint32_t kLargestWorld = 1024;

/// Collective. Throws std::invalid_argument, Unimplemented, CollectiveTimeout.
std::unique_ptr<zerocts_engine> OpenEngine(const zerocts_open_args& args);

HyperParameters HyperParametersOf(const zerocts_group& group);

}  // namespace zerocts::engine
