// A Grid of the host: bodies in loops, so that what a GPU would compute can be compared without one. Elements and teams
// come last first, and the threads of a team too, so that nobody gets away with leaning on their order.
#pragma once
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "impl/device/grid_ops.hpp"

namespace zerocts::engine {

template <int kThreads>
class SerialTeam {
 public:
  template <typename T>
  class Private {
   public:
    T& operator[](int thread) { return values_[thread]; }

   private:
    std::vector<T> values_ = std::vector<T>(kThreads);
  };

  template <typename Part>
  void Each(const Part& part) const {
    for (int thread = kThreads - 1; thread >= 0; --thread) part(thread);
  }
  void AtomicAdd(uint64_t* word, uint64_t n) const { *word += n; }
  void AtomicMax(uint32_t* word, uint32_t n) const { *word = std::max(*word, n); }
};

class SerialGrid {
 public:
  template <typename Body>
  void ForEach(int64_t numel, const Body& body) {
    for (int64_t i = numel - 1; i >= 0; --i) body(i);
  }

  template <typename Out, typename Body>
  void Map(Out* out, int64_t numel, const Body& body) {
    constexpr int64_t kThreads = 3, kBlock = kThreads * bodies::kGroup;
    for (int64_t begin = numel / kBlock * kBlock; begin >= 0; begin -= kBlock) {
      for (int64_t thread = kThreads - 1; thread >= 0; --thread)
        bodies::MapGroup(out, body, {begin + thread, kThreads}, numel);
    }
  }

  template <typename Body>
  void Teams(int64_t count, const Body& body) {
    const auto room = std::make_unique<typename Body::Room>();
    for (int64_t n = count - 1; n >= 0; --n) {
      std::memset(static_cast<void*>(room.get()), 0xff, sizeof *room);  // NaN
      body(SerialTeam<Body::kThreads>(), n, *room);
    }
  }

  void Copy(void* out, const void* in, int64_t bytes) { std::memmove(out, in, static_cast<size_t>(bytes)); }

  /// Aligned to 256 bytes, as a GPU's is.
  class Scratch {
   public:
    Scratch(SerialGrid&, int64_t numel) : room_(numel + kAligned, std::numeric_limits<float>::quiet_NaN()) {}
    float* values() {
      const size_t beyond = reinterpret_cast<uintptr_t>(room_.data()) / sizeof(float) % kAligned;
      return room_.data() + (kAligned - beyond) % kAligned;
    }

   private:
    static constexpr size_t kAligned = 256 / sizeof(float);
    std::vector<float> room_;
  };
};

using SerialGridOps = GridOps<SerialGrid>;

}  // namespace zerocts::engine
