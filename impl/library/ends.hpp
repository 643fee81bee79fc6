// What a public Communicator is inside: how the ranks of its world meet, and a transport for buffers.
#pragma once
#include <new>
#include <zerocts/library/communicator.hpp>

#include "impl/comm/communicator.hpp"
#include "impl/device/device.hpp"

namespace zerocts::library {

/// Memory of the process, for engines without a host that counts it.
class HeapMemory : public engine::MemorySource {
 public:
  void* Allocate(int64_t bytes, engine::MemoryKind) override {
    return ::operator new(static_cast<size_t>(bytes), kCacheLines);
  }
  void Free(void* memory) override { ::operator delete(memory, kCacheLines); }

 private:
  static constexpr std::align_val_t kCacheLines{128};  // flat buffers begin with one
};

struct Communicator::Ends {
  /// `rank_settings`: rank, world size, store, and whether ranks share the process. Collective.
  Ends(engine::CommunicatorSettings rank_settings, const CommunicatorSettings& chosen);

  std::unique_ptr<engine::Device> MakeDevice(bool overlap);
  /// For communicators on `device`, with a store of their own: every rank makes all that it makes in one order.
  engine::CommunicatorSettings SettingsOn(engine::Device& device);

  const CommunicatorSettings chosen;
  const engine::CommunicatorSettings rank_settings;
  HeapMemory memory;
  int made = 0;

  // For Buffer and Barrier.
  const std::unique_ptr<engine::Device> device;
  const std::unique_ptr<engine::DeviceStream> stream;
  const std::unique_ptr<engine::Communicator> world;
};

}  // namespace zerocts::library
