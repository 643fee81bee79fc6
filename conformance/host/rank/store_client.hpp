// set, get and barrier as one rank sees them.
#pragma once
#include <cstdint>
#include <string>

#include "conformance/host/wire/store.hpp"

namespace zerocts {

/// One rank's end. Calls return when done or when `deadline_ms` has passed, whichever is first.
class StoreClient {
 public:
  virtual ~StoreClient() = default;
  virtual StoreOutcome Set(std::string key, std::string value) = 0;
  virtual StoreOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) = 0;
  virtual StoreOutcome Barrier(uint32_t deadline_ms) = 0;
  /// Bytes of this process's heap that keys and values take that were set: the host's, not the subject's.
  virtual uint64_t KeptBytes() const = 0;
};

}  // namespace zerocts
