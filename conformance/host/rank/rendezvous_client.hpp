// put, get and barrier as one rank sees them.
#pragma once
#include <cstdint>
#include <string>

#include "conformance/host/wire/rendezvous_board.hpp"

namespace zerocts {

/// One rank's end. Calls return when done or when `deadline_ms` has passed, whichever is first.
class RendezvousClient {
 public:
  virtual ~RendezvousClient() = default;
  virtual RendezvousOutcome Put(std::string key, std::string value) = 0;
  virtual RendezvousOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) = 0;
  virtual RendezvousOutcome Barrier(uint32_t deadline_ms) = 0;
  /// Bytes of this process's heap that values which were put take: the host's, not the subject's.
  virtual uint64_t KeptBytes() const = 0;
};

}  // namespace zerocts
