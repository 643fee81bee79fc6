#include "impl/comm/rank_bodies_for_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <thread>

#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

template <class T>
void Expect(T expected, T got, const std::string& where) {
  if (expected != got) throw std::runtime_error(fmt::format("{}: expected {}, got {}", where, expected, got));
}

class WindowMemory {
 public:
  WindowMemory(Communicator& comm, int64_t bytes) : comm_(comm), memory_(comm.Allocate(bytes, MemoryKind::kGradient)) {}
  ~WindowMemory() { comm_.Free(memory_); }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  Communicator& comm_;
  void* memory_;
};

/// Ways to cut a buffer: [world_size + 1] offsets each.
std::vector<std::vector<int64_t>> Cuts(int world_size) {
  const auto cut = [&](auto size_of) {
    std::vector<int64_t> offsets = {0};
    for (int rank = 0; rank < world_size; ++rank) offsets.push_back(offsets.back() + size_of(rank));
    return offsets;
  };
  return {
      cut([](int) { return 7; }),
      cut([](int rank) { return 2 * rank + 1; }),
      cut([](int rank) { return rank == 1 ? 0 : 5; }),
      cut([&](int rank) { return rank == world_size - 1 ? 1 : 0; }),
      cut([](int) { return 0; }),
  };
}

/// Longer than one chunk of messages, and not all of the same number of chunks.
std::vector<int64_t> LongPieces(int world_size) {
  std::vector<int64_t> offsets = {0};
  for (int rank = 0; rank < world_size; ++rank) offsets.push_back(offsets.back() + 64001 + 2000 * rank);
  return offsets;
}

/// Over many exponents, so that the order of addition shows.
float Contribution(int rank, int64_t i) {
  const float mantissa = RandomUniform(1, static_cast<uint64_t>(rank), static_cast<uint64_t>(i));
  return std::ldexp(mantissa,
                    static_cast<int>(RandomBelow(2, static_cast<uint64_t>(rank), static_cast<uint64_t>(i), 24)) - 12);
}

void CheckReduceScatter(Communicator& comm, DeviceStream& stream, const std::vector<int64_t>& offsets, const Fold& fold,
                        bool in_place) {
  const int rank = comm.rank();
  const int world_size = comm.world_size();
  const int64_t numel = offsets[rank + 1] - offsets[rank];
  const float divisor = static_cast<float>(3 * world_size);
  const WindowMemory window(comm, offsets.back() * static_cast<int64_t>(sizeof(float)));
  float* full = window.as<float>();
  for (int64_t i = 0; i < offsets.back(); ++i) full[i] = Contribution(rank, i);

  std::vector<float> separate(static_cast<size_t>(numel));
  float* out = in_place ? full + offsets[rank] : separate.data();
  comm.ReduceScatter(out, full, offsets, fold, divisor, stream, "test");

  std::vector<float> leaves(static_cast<size_t>(world_size));
  for (int64_t i = 0; i < numel; ++i) {
    for (int peer = 0; peer < world_size; ++peer) leaves[peer] = Contribution(peer, offsets[rank] + i);
    Expect(Bits(Evaluate(fold, leaves) / divisor), Bits(out[i]),
           fmt::format("reduce_scatter {} of pieces {}, rank {}, element {}", ToString(fold), fmt::join(offsets, ","),
                       rank, i));
  }
}

void CheckAllGather(Communicator& comm, const std::vector<int64_t>& offsets) {
  const int rank = comm.rank();
  const WindowMemory window(comm, offsets.back());
  uint8_t* bytes = window.as<uint8_t>();
  const auto byte_at = [](int64_t i) { return static_cast<uint8_t>(i % 251); };
  for (int64_t i = 0; i < offsets.back(); ++i) {
    Expect<int>(0xff, bytes[i], "fresh memory is poisoned");
    if (i >= offsets[rank] && i < offsets[rank + 1]) bytes[i] = byte_at(i);
  }
  comm.AllGather(bytes, offsets, "test");
  for (int64_t i = 0; i < offsets.back(); ++i) {
    Expect<int>(byte_at(i), bytes[i],
                fmt::format("all_gather of pieces {}, rank {}, byte {}", fmt::join(offsets, ","), rank, i));
  }
}

void CheckAllReduceSum(Communicator& comm, int64_t count) {
  const auto word = [](int rank, int64_t i) {
    return RandomBits(3, static_cast<uint64_t>(rank), static_cast<uint64_t>(i));
  };
  std::vector<uint64_t> words;
  for (int64_t i = 0; i < count; ++i) words.push_back(word(comm.rank(), i));
  comm.AllReduceSum(words.data(), count, "test");
  for (int64_t i = 0; i < count; ++i) {
    uint64_t expected = 0;
    for (int rank = 0; rank < comm.world_size(); ++rank) expected += word(rank, i);
    Expect(expected, words[i], fmt::format("all_reduce of {} words, word {}", count, i));
  }
}

}  // namespace

void CheckCollectives(Communicator& comm, Device& device) {
  const auto stream = device.MakeStream();
  for (const auto& offsets : Cuts(comm.world_size())) {
    for (bool in_place : {false, true}) {
      CheckReduceScatter(comm, *stream, offsets, RankFold(comm.world_size(), 1), in_place);
      CheckReduceScatter(comm, *stream, offsets, RingFold(comm.world_size(), 1, comm.rank()), in_place);
    }
    CheckAllGather(comm, offsets);
  }
  CheckReduceScatter(comm, *stream, LongPieces(comm.world_size()), RankFold(comm.world_size(), 1), true);
  for (int64_t count : {0, 1, 512, 1300}) CheckAllReduceSum(comm, count);
  comm.Barrier("test");
}

void CheckNobodyOvertakes(Communicator& comm) {
  const int world_size = comm.world_size();
  std::vector<int64_t> offsets;
  for (int rank = 0; rank <= world_size; ++rank) offsets.push_back(rank * static_cast<int64_t>(sizeof(int)));
  const WindowMemory window(comm, offsets.back());
  int* values = window.as<int>();
  for (int turn = 0; turn < 300; ++turn) {
    if (turn % 50 == comm.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    values[comm.rank()] = 1000 * turn + comm.rank();
    comm.AllGather(values, offsets, "test");
    for (int rank = 0; rank < world_size; ++rank)
      Expect(1000 * turn + rank, values[rank], fmt::format("turn {}, all_gather", turn));

    uint64_t sum = static_cast<uint64_t>(turn);
    comm.AllReduceSum(&sum, 1, "test");
    Expect(static_cast<uint64_t>(turn) * static_cast<uint64_t>(world_size), sum,
           fmt::format("turn {}, all_reduce", turn));
  }
}

}  // namespace zerocts
