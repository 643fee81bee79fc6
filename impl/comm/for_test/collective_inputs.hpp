// What the bodies of ranks give to collectives: memory, cuts and contributions.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// Throws where they differ. `where` is said with its arguments only then: this stands in loops over elements.
template <class T, class... Arguments>
void Expect(T expected, T got, fmt::format_string<const Arguments&...> where, const Arguments&... arguments) {
  if (expected == got) return;
  throw std::runtime_error(fmt::format("{}: expected {}, got {}", fmt::format(where, arguments...), expected, got));
}

/// Memory of a communicator that begins elsewhere on each rank, and not where a window begins.
class WindowMemory {
 public:
  WindowMemory(Communicator& comm, int64_t bytes);
  ~WindowMemory() { comm_.Free(memory_); }
  WindowMemory(const WindowMemory&) = delete;
  WindowMemory& operator=(const WindowMemory&) = delete;

  std::byte* bytes() const { return memory_ + 8 * comm_.rank(); }
  float* floats() const { return reinterpret_cast<float*>(bytes()); }

 private:
  Communicator& comm_;
  std::byte* memory_;
};

/// Ways to cut a buffer: equal, odd, empty and several parts, with and without gaps.
std::vector<Cuts> WaysToCut(int world_size);

/// Longer than one chunk of messages and than one of a fold, and not all of the same number of chunks.
Cuts LongParts(int world_size);

int64_t End(const Cuts& cuts);

int64_t OwnNumel(const Cuts& cuts, int rank);

std::string Name(const Cuts& cuts);

/// The elements of a rank's parts one after the other: visit(index in the buffer, index among the parts).
template <class Visit>
void ForEachElement(const Cuts& cuts, int rank, const Visit& visit) {
  int64_t packed = 0;
  for (const auto& cut : cuts) {
    for (int64_t i = cut[rank]; i < cut[rank + 1]; ++i) visit(i, packed++);
  }
}

/// Over many exponents, so that the order of addition shows; some are NaN, as padding may be.
float Contribution(uint64_t seed, int rank, int64_t i);

}  // namespace zerocts::engine
