#include "impl/comm/for_test/rank_bodies.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "impl/comm/for_test/collective_inputs.hpp"
#include "impl/comm/for_test/late_stream.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

float OnTheWire(float value, WireType wire) { return wire == WireType::kBf16 ? RoundToBf16(value) : value; }

struct NamedFold {
  std::string name;
  Fold fold;
};

std::vector<NamedFold> Folds(int world_size, int rank, WireType wire) {
  std::vector<NamedFold> folds = {
      {"rank", RankFold(world_size, 1)}, {"ring", RingFold(world_size, 1, rank)}, {"tree", TreeFold(world_size, 1)}};
  if (wire == WireType::kBf16) {
    folds.push_back({"ring of bf16", RingFold(world_size, 1, rank, Rounding::kBf16)});
    folds.push_back({"tree kept in bf16", SumsKeptIn(Rounding::kFp32, Rounding::kBf16, TreeFold(world_size, 1), 1)});
  }
  return folds;
}

void ExpectTraffic(const Traffic::Count& before, const Traffic::Count& after, int64_t sent, int64_t received,
                   const std::string& where) {
  Expect(before.calls + 1, after.calls, "{}, calls", where);
  Expect(before.sent_bytes + sent, after.sent_bytes, "{}, bytes sent", where);
  Expect(before.received_bytes + received, after.received_bytes, "{}, bytes received", where);
}

void CheckReduceScatter(Communicator& comm, uint64_t seed, const Cuts& cuts, const NamedFold& fold, WireType wire,
                        bool in_place) {
  const int rank = comm.rank();
  const int world_size = comm.world_size();
  const int64_t numel = OwnNumel(cuts, rank);
  const int64_t element_bytes = wire == WireType::kBf16 ? 2 : 4;
  const auto divisor = static_cast<float>(3 * world_size);
  const std::string where =
      fmt::format("reduce_scatter, {} of {}{}, {}, rank {}", fold.name, wire == WireType::kBf16 ? "bf16" : "fp32",
                  in_place ? " in place" : "", Name(cuts), rank);
  const WindowMemory window(comm, End(cuts) * 4);
  float* full = window.floats();
  for (int owner = 0; owner < world_size; ++owner) {
    ForEachElement(cuts, owner, [&](int64_t i, int64_t) {
      const float value = Contribution(seed, rank, i);
      const Bf16 narrow = ToBf16(value);
      if (wire == WireType::kBf16) {
        std::memcpy(window.bytes() + 2 * i, &narrow, 2);
      } else {
        full[i] = value;
      }
    });
  }

  const float untouched = -77;
  std::vector<float> separate(static_cast<size_t>(numel) + 2, untouched);
  float* out = in_place ? full : separate.data() + 1;
  const Traffic before = comm.traffic();
  LateStream stream;
  {
    Cuts short_lived = cuts;
    Reduction reduction{fold.fold, divisor};
    comm.ReduceScatter(out, full, short_lived, reduction, wire, stream, "test");
    Expect(before.reduce_scatter.calls, comm.traffic().reduce_scatter.calls, "{}, before the stream came to it", where);
  }
  stream.Synchronize();

  std::vector<float> leaves(static_cast<size_t>(world_size));
  ForEachElement(cuts, rank, [&](int64_t i, int64_t packed) {
    for (int peer = 0; peer < world_size; ++peer) leaves[peer] = OnTheWire(Contribution(seed, peer, i), wire);
    Expect(CanonicalBits(Evaluate(fold.fold, leaves) / divisor), CanonicalBits(out[in_place ? i : packed]),
           "{}, element {}", where, i);
  });
  Expect(untouched, separate.front(), "{}, in front of `out`", where);
  Expect(untouched, separate.back(), "{}, behind `out`", where);
  if (comm.name() == "nccl-native") return;
  int64_t of_peers = 0;
  for (int peer = 0; peer < world_size; ++peer) of_peers += peer == rank ? 0 : OwnNumel(cuts, peer);
  ExpectTraffic(before.reduce_scatter, comm.traffic().reduce_scatter, of_peers * element_bytes,
                numel * (world_size - 1) * element_bytes, where);
}

void CheckAllToAll(Communicator& comm, uint64_t seed, const Cuts& cuts) {
  const int rank = comm.rank(), world_size = comm.world_size();
  const int64_t numel = OwnNumel(cuts, rank);
  const std::string where = fmt::format("all_to_all, {}, rank {}", Name(cuts), rank);
  const WindowMemory window(comm, End(cuts) * 4);
  int64_t of_peers = 0;
  for (int owner = 0; owner < world_size; ++owner) {
    ForEachElement(cuts, owner, [&](int64_t i, int64_t) { window.floats()[i] = Contribution(seed, rank, i); });
    of_peers += owner == rank ? 0 : OwnNumel(cuts, owner);
  }
  const float untouched = -77;
  std::vector<float> received(static_cast<size_t>(world_size * numel) + 2, untouched);
  const Traffic before = comm.traffic();
  LateStream stream;
  {
    Cuts short_lived = cuts;
    comm.AllToAll(received.data() + 1, window.floats(), short_lived, stream, "test");
  }
  stream.Synchronize();
  for (int peer = 0; peer < world_size; ++peer) {
    ForEachElement(cuts, rank, [&](int64_t i, int64_t packed) {
      Expect(CanonicalBits(Contribution(seed, peer, i)), CanonicalBits(received[1 + peer * numel + packed]),
             "{}, element {} of rank {}", where, i, peer);
    });
  }
  Expect(untouched, received.front(), "{}, in front of `out`", where);
  Expect(untouched, received.back(), "{}, behind `out`", where);
  ExpectTraffic(before.reduce_scatter, comm.traffic().reduce_scatter, of_peers * 4, numel * (world_size - 1) * 4,
                where);
}

/// Elements that a rank sends in an all-gather: with one transport its own to every other rank; with several hosts once
/// to each other one, and what it receives from there as a gateway to the other ranks of its own.
int64_t SentByGather(const Cuts& cuts, int rank, int world_size, const Hosts& hosts) {
  if (hosts.count() == 0) return OwnNumel(cuts, rank) * (world_size - 1);
  const int host = hosts.host_of[rank];
  const auto neighbours = std::ssize(hosts.ranks[host]) - 1;
  int64_t sent = OwnNumel(cuts, rank) * (neighbours + hosts.count() - 1);
  for (int owner = 0; owner < world_size; ++owner) {
    if (hosts.host_of[owner] == host || hosts.ranks[host][GatewayOf(hosts, owner, host)] != rank) continue;
    sent += OwnNumel(cuts, owner) * neighbours;
  }
  return sent;
}

/// How often a rank sends and receives each word of a sum.
int64_t TimesOfWords(int rank, int world_size, const Hosts& hosts) {
  if (hosts.count() == 0) return world_size - 1;
  const auto& here = hosts.ranks[hosts.host_of[rank]];
  return here.front() == rank ? std::ssize(here) - 1 + hosts.count() - 1 : 1;
}

void CheckAllGather(Communicator& comm, uint64_t seed, const Cuts& cuts, int element_bytes, bool in_place,
                    const Hosts& hosts) {
  const int rank = comm.rank();
  const std::string where = fmt::format("all_gather of {} bytes{}, {}, rank {}", element_bytes,
                                        in_place ? " in place" : "", Name(cuts), rank);
  const auto byte_at = [&](int64_t i) { return static_cast<std::byte>((i + static_cast<int64_t>(seed)) % 251); };
  const int64_t full_bytes = End(cuts) * element_bytes;
  const int64_t own_bytes = OwnNumel(cuts, rank) * element_bytes;
  const WindowMemory window(comm, in_place ? full_bytes : own_bytes);
  std::vector<std::byte> expected(static_cast<size_t>(full_bytes), std::byte{0xff}), separate = expected;

  std::byte* own = window.bytes();
  std::byte* full = in_place ? own : separate.data();
  for (int owner = 0; owner < comm.world_size(); ++owner) {
    ForEachElement(cuts, owner, [&](int64_t i, int64_t packed) {
      for (int b = 0; b < element_bytes; ++b) {
        const std::byte value = byte_at(i * element_bytes + b);
        expected[i * element_bytes + b] = value;
        if (owner == rank) own[(in_place ? i : packed) * element_bytes + b] = value;
      }
    });
  }
  const Traffic before = comm.traffic();
  LateStream stream;
  {
    Cuts short_lived = cuts;
    comm.AllGather(full, own, short_lived, element_bytes, stream, "test");
  }
  stream.Synchronize();
  for (int64_t i = 0; i < full_bytes; ++i) {
    Expect(std::to_integer<int>(expected[i]), std::to_integer<int>(full[i]), "{}, byte {}", where, i);
  }
  int64_t of_peers = 0;
  for (int peer = 0; peer < comm.world_size(); ++peer) of_peers += peer == rank ? 0 : OwnNumel(cuts, peer);
  ExpectTraffic(before.all_gather, comm.traffic().all_gather,
                SentByGather(cuts, rank, comm.world_size(), hosts) * element_bytes, of_peers * element_bytes, where);
}

void CheckAllReduceSum(Communicator& comm, uint64_t seed, int64_t count, const Hosts& hosts) {
  const auto word = [=](int rank, int64_t i) {
    return RandomBits(seed, static_cast<uint64_t>(rank), static_cast<uint64_t>(i));
  };
  std::vector<uint64_t> words;
  for (int64_t i = 0; i < count; ++i) words.push_back(word(comm.rank(), i));
  const Traffic before = comm.traffic();
  LateStream stream;
  comm.AllReduceSum(words.data(), count, stream, "test");
  stream.Synchronize();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t expected = 0;
    for (int rank = 0; rank < comm.world_size(); ++rank) expected += word(rank, i);
    Expect(expected, words[i], "all_reduce of {} words, word {}", count, i);
  }
  const int64_t bytes = count * 8 * TimesOfWords(comm.rank(), comm.world_size(), hosts);
  ExpectTraffic(before.all_reduce, comm.traffic().all_reduce, bytes, bytes,
                fmt::format("all_reduce of {} words", count));
}

void CheckAllReduce(Communicator& comm, uint64_t seed, int64_t numel) {
  const int world_size = comm.world_size();
  const int64_t part = (numel + world_size - 1) / world_size;
  const size_t kinds = Folds(world_size, 0, WireType::kFp32).size();
  for (size_t kind = 0; kind < kinds; ++kind) {
    const WindowMemory window(comm, numel * 4);
    for (int64_t i = 0; i < numel; ++i) window.floats()[i] = Contribution(seed, comm.rank(), i);
    LateStream stream;
    AllReduce(comm, window.floats(), numel, {Folds(world_size, comm.rank(), WireType::kFp32)[kind].fold, 3}, stream,
              "test");
    stream.Synchronize();
    std::vector<NamedFold> fold_of_owner;
    for (int owner = 0; owner < world_size; ++owner)
      fold_of_owner.push_back(Folds(world_size, owner, WireType::kFp32)[kind]);
    for (int64_t i = 0; i < numel; ++i) {
      std::vector<float> leaves;
      for (int peer = 0; peer < world_size; ++peer) leaves.push_back(Contribution(seed, peer, i));
      const NamedFold& fold = fold_of_owner[static_cast<size_t>(i / part)];
      Expect(CanonicalBits(Evaluate(fold.fold, leaves) / 3), CanonicalBits(window.floats()[i]),
             "all_reduce, {}, {} elements, element {}", fold.name, numel, i);
    }
  }
}

}  // namespace

void CheckCollectives(Communicator& comm, uint64_t seed, const Hosts& hosts) {
  for (const Cuts& cuts : WaysToCut(comm.world_size())) {
    for (const WireType wire : {WireType::kFp32, WireType::kBf16}) {
      for (const NamedFold& fold : Folds(comm.world_size(), comm.rank(), wire)) {
        CheckReduceScatter(comm, seed, cuts, fold, wire, false);
        if (wire == WireType::kFp32) CheckReduceScatter(comm, seed, cuts, fold, wire, true);
      }
    }
    CheckAllToAll(comm, seed, cuts);
    for (const int element_bytes : {1, 2, 4}) {
      CheckAllGather(comm, seed, cuts, element_bytes, false, hosts);
      CheckAllGather(comm, seed, cuts, element_bytes, true, hosts);
    }
  }
  const Cuts long_parts = LongParts(comm.world_size());
  CheckReduceScatter(comm, seed, long_parts, {"tree", TreeFold(comm.world_size(), 1)}, WireType::kFp32, true);
  CheckReduceScatter(comm, seed, long_parts, {"rank", RankFold(comm.world_size(), 1)}, WireType::kBf16, false);
  CheckAllToAll(comm, seed, long_parts);
  for (const bool in_place : {false, true}) CheckAllGather(comm, seed, long_parts, 4, in_place, hosts);
  for (const int64_t count : {0, 1, 512, 1300}) CheckAllReduceSum(comm, seed, count, hosts);
  for (const int64_t numel : {0, 1, 5, 67}) CheckAllReduce(comm, seed, numel);
  comm.Barrier("test");
}

void CheckSumsInRingOrder(Communicator& comm) {
  for (const Cuts& cuts : WaysToCut(comm.world_size())) {
    for (const WireType wire : {WireType::kFp32, WireType::kBf16}) {
      const Rounding rounding = wire == WireType::kBf16 ? Rounding::kBf16 : Rounding::kFp32;
      const NamedFold ring = {"ring", RingFold(comm.world_size(), 1, comm.rank(), rounding)};
      CheckReduceScatter(comm, 1, cuts, ring, wire, false);
      if (wire == WireType::kFp32) CheckReduceScatter(comm, 1, cuts, ring, wire, true);
    }
    CheckAllGather(comm, 1, cuts, 2, true, {});
  }
  CheckAllReduceSum(comm, 1, 1300, {});
}

void CheckNobodyOvertakes(Communicator& comm, DeviceStream& stream, int seed) {
  const int world_size = comm.world_size();
  std::vector<int64_t> cut;
  for (int rank = 0; rank <= world_size; ++rank) cut.push_back(rank);
  auto* values = static_cast<int*>(comm.Allocate(world_size * static_cast<int64_t>(sizeof(int)), MemoryKind::kBuffer));
  for (int turn = seed; turn < seed + 300; ++turn) {
    if (turn % 50 == comm.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    values[comm.rank()] = 1000 * turn + comm.rank();
    comm.AllGather(values, values, {cut}, sizeof(int), stream, "test");
    stream.Synchronize();
    for (int rank = 0; rank < world_size; ++rank) Expect(1000 * turn + rank, values[rank], "turn {}, all_gather", turn);

    auto sum = static_cast<uint64_t>(turn);
    comm.AllReduceSum(&sum, 1, stream, "test");
    stream.Synchronize();
    Expect(static_cast<uint64_t>(turn) * static_cast<uint64_t>(world_size), sum, "turn {}, all_reduce", turn);
  }
  comm.Free(values);
}

void BarrierWithoutRank1(Communicator& comm, std::latch& others_gave_up) {
  comm.Barrier("start");
  if (comm.rank() == 1) return others_gave_up.wait();
  struct CountDown {
    std::latch& latch;
    ~CountDown() { latch.count_down(); }
  } on_exit{others_gave_up};
  comm.Barrier("parameters");
}

}  // namespace zerocts::engine
