// Memory that is counted and never made, and ranks that give each other nothing: on them stands what only counts.
#pragma once
#include <cstddef>
#include <stdexcept>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// Any address: nobody may look there.
inline void* Nowhere() {
  static std::max_align_t place;
  return &place;
}

class NowhereMemory : public MemorySource {
 public:
  void* Allocate(int64_t, MemoryKind) override { return Nowhere(); }
  void Free(void*) override {}
};

/// Refuses collectives.
class NoTransport : public Communicator {
 public:
  NoTransport(int rank, int world_size) : rank_(rank), world_size_(world_size) {}
  int rank() const override { return rank_; }
  int world_size() const override { return world_size_; }
  std::string name() const override { return "none"; }
  void* Allocate(int64_t, MemoryKind) override { return Nowhere(); }
  void Free(void*) override {}
  int64_t staging_bytes() const override { return 0; }
  Traffic traffic() const override { return {}; }
  void AllGather(void*, const void*, const Cuts&, int, DeviceStream&, const char*) override { Refuse(); }
  void ReduceScatter(float*, void*, const Cuts&, const Reduction&, WireType, DeviceStream&, const char*) override {
    Refuse();
  }
  void AllToAll(float*, float*, const Cuts&, DeviceStream&, const char*) override { Refuse(); }
  void AllReduceSum(uint64_t*, int64_t, DeviceStream&, const char*) override { Refuse(); }
  void Barrier(const char*) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() { throw std::logic_error("an estimate of memory moves nothing"); }
  const int rank_, world_size_;
};

/// Lets them pass.
class IdleTransport final : public NoTransport {
 public:
  using NoTransport::NoTransport;
  void AllGather(void*, const void*, const Cuts&, int, DeviceStream&, const char*) override {}
  void ReduceScatter(float*, void*, const Cuts&, const Reduction&, WireType, DeviceStream&, const char*) override {}
  void AllToAll(float*, float*, const Cuts&, DeviceStream&, const char*) override {}
};

}  // namespace zerocts::engine
