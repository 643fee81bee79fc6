// What the host offers to one rank, as the engine's seams want it: memory, store, progress.
#pragma once
#include <chrono>
#include <functional>

#include "conformance/abi/zerocts_subject.h"
#include "impl/comm/communicator.hpp"
#include "impl/device/device.hpp"

namespace zerocts::engine {

/// Throws std::invalid_argument unless `host` has all that version 1.0 has.
void RequireHost(const zerocts_host* host);

/// Memory that the host gives, poisons and counts. An accelerator's memory is counted by a host that has the extension
/// zerocts.device_memory/1, and by nobody under another one.
class HostMemorySource : public MemorySource {
 public:
  explicit HostMemorySource(const zerocts_host& host);
  void* Allocate(int64_t bytes, MemoryKind kind) override;
  void Free(void* memory) override;
  void Count(int64_t bytes, MemoryKind kind) override;
  void Uncount(int64_t bytes, MemoryKind kind) override;

 private:
  const zerocts_host& host_;
  const zerocts_device_memory_extension* const device_memory_;  // nullptr: not offered
};

Store StoreOf(const zerocts_host& host, std::chrono::milliseconds deadline);
std::function<void(const char*, const char*)> ProgressOf(const zerocts_host& host);
std::function<void(const std::string&)> LogOf(const zerocts_host& host);

}  // namespace zerocts::engine
