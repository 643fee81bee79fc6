// Where bytes live and who computes: memory, streams, events. One file per backend (host; sim and cuda later).
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "reference/ops/ops.hpp"

namespace zerocts {

enum class MemoryKind { kParameter = 0, kGradient = 1, kOptimizer = 2, kBuffer = 3 };  // as in zerocts_subject.h

/// Who gives the memory and counts it; the ABI's host in a subject, plain malloc in unit tests.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;  // throws std::bad_alloc
  virtual void Free(void* memory) = 0;
};

/// A queue of operations that happen in order. Ops of a stream are enqueued on it.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  virtual Ops& ops() = 0;
  virtual void Synchronize() = 0;  // returns when everything enqueued so far has happened
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual void* Allocate(int64_t bytes, MemoryKind kind) = 0;
  virtual void Free(void* memory) = 0;
  virtual std::unique_ptr<DeviceStream> MakeStream() = 0;
  virtual void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) = 0;
  virtual void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) = 0;
};

std::unique_ptr<Device> MakeHostDevice(MemorySource& memory);

/// "host"; an unknown or absent one throws std::invalid_argument with the names that this build has.
std::unique_ptr<Device> MakeDevice(const std::string& name, MemorySource& memory);

}  // namespace zerocts
