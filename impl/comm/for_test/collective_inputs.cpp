#include "impl/comm/for_test/collective_inputs.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kMargin = 128;  // bytes in front of what a collective is given

template <class SizeOf>
std::vector<int64_t> CutFrom(int64_t begin, int world_size, SizeOf size_of) {
  std::vector<int64_t> cut = {begin};
  for (int rank = 0; rank < world_size; ++rank) cut.push_back(cut.back() + size_of(rank));
  return cut;
}

}  // namespace

WindowMemory::WindowMemory(Communicator& comm, int64_t bytes)
    : comm_(comm), memory_(static_cast<std::byte*>(comm.Allocate(bytes + kMargin, MemoryKind::kGradient))) {
  for (int64_t i = 0; i < bytes + kMargin; ++i) {
    Expect(0xff, std::to_integer<int>(memory_[i]), "fresh memory is poisoned");
  }
}

std::vector<Cuts> WaysToCut(int world_size) {
  const auto equal = [](int) { return 7; };
  const auto growing = [](int rank) { return 2 * rank + 1; };
  const auto without_rank_1 = [](int rank) { return rank == 1 ? 0 : 5; };
  const auto last_only = [=](int rank) { return rank == world_size - 1 ? 1 : 0; };
  const auto nothing = [](int) { return 0; };
  const auto from = [=](int64_t begin, auto size_of) { return CutFrom(begin, world_size, size_of); };
  const int64_t far = 200;
  return {
      {from(0, equal)},
      {from(0, growing)},
      {from(0, without_rank_1)},
      {from(0, last_only)},
      {from(0, nothing)},
      {},
      {from(3, growing), from(far, equal)},
      {from(0, equal), from(7 * world_size, last_only), from(far, nothing), from(far + 1, without_rank_1)},
  };
}

Cuts LongParts(int world_size) {
  return {CutFrom(1, world_size, [](int rank) { return 64001 + 2000 * rank; }),
          CutFrom(600000, world_size, [](int rank) { return rank == 0 ? 0 : 5001; })};
}

int64_t End(const Cuts& cuts) { return cuts.empty() ? 0 : cuts.back().back(); }

int64_t OwnNumel(const Cuts& cuts, int rank) {
  int64_t numel = 0;
  for (const auto& cut : cuts) numel += cut[rank + 1] - cut[rank];
  return numel;
}

std::string Name(const Cuts& cuts) {
  std::vector<std::string> names;
  for (const auto& cut : cuts) names.push_back(fmt::format("{}", fmt::join(cut, ",")));
  return fmt::format("cuts {}", fmt::join(names, " | "));
}

float Contribution(uint64_t seed, int rank, int64_t i) {
  const auto stream = static_cast<uint64_t>(rank);
  const auto index = static_cast<uint64_t>(i);
  if (i % 13 == 5 && rank == i % 3) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(RandomUniform(seed, stream, index),
                    static_cast<int>(RandomBelow(seed + 1, stream, index, 24)) - 12);
}

}  // namespace zerocts::engine
