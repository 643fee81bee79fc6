// What the host offers to one rank, as the engine's seams want it: memory, rendezvous, progress.
#pragma once
#include <chrono>
#include <functional>

#include "conformance/abi/zerocts_subject.h"
#include "impl/comm/communicator.hpp"
#include "impl/device/device.hpp"

namespace zerocts {

/// Throws std::invalid_argument unless `host` has all that version 1.0 has.
void RequireHost(const zerocts_host* host);

/// Memory that the host gives, poisons and counts.
class HostMemorySource : public MemorySource {
 public:
  explicit HostMemorySource(const zerocts_host& host) : host_(host) {}
  void* Allocate(int64_t bytes, MemoryKind kind) override;
  void Free(void* memory) override;

 private:
  const zerocts_host& host_;
};

Rendezvous RendezvousOf(const zerocts_host& host, std::chrono::milliseconds deadline);
std::function<void(const char*, const char*)> ProgressOf(const zerocts_host& host);

}  // namespace zerocts
