// What a public Communicator is inside: how the ranks of its world meet, and a transport for buffers.
#pragma once
#include <zerocts/library/communicator.hpp>

#include "impl/comm/communicator.hpp"
#include "impl/library/heap_memory.hpp"

namespace zerocts::library {

struct Communicator::Ends {
  /// `place`: rank, world size, rendezvous, and whether ranks share the process. Collective.
  Ends(engine::CommunicatorSettings place, const CommunicatorSettings& chosen);

  std::unique_ptr<engine::Device> MakeDevice(bool overlap);
  /// For communicators on `device`, with a rendezvous of their own: every rank makes all that it makes in one order.
  engine::CommunicatorSettings SettingsOn(engine::Device& device);

  const CommunicatorSettings chosen;
  const engine::CommunicatorSettings place;
  HeapMemory memory;
  int made = 0;

  // For Buffer and Barrier.
  const std::unique_ptr<engine::Device> device;
  const std::unique_ptr<engine::DeviceStream> stream;
  const std::unique_ptr<engine::Communicator> world;
};

}  // namespace zerocts::library
