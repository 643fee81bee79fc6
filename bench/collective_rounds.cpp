#include "bench/collective_rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bench/memory_bound.hpp"
#include "bench/timing.hpp"

namespace zerocts {
namespace {

constexpr int kSeveral = 2;  // ranks are timed by the wall clock, see timing.hpp

/// Seconds of the slowest rank, on every rank.
double OfTheSlowest(Communicator& comm, DeviceStream& stream, double seconds) {
  // The largest of all by sums alone: each rank has a word of its own.
  std::vector<uint64_t> words(static_cast<size_t>(comm.world_size()));
  words[comm.rank()] = std::bit_cast<uint64_t>(seconds);
  comm.AllReduceSum(words.data(), comm.world_size(), stream, "seconds");
  stream.Synchronize();
  double slowest = 0;
  for (const uint64_t word : words) slowest = std::max(slowest, std::bit_cast<double>(word));
  return slowest;
}

class Memory {
 public:
  Memory(Communicator& comm, int64_t bytes, float value)
      : comm_(comm), floats_(static_cast<float*>(comm.Allocate(bytes + kLine, MemoryKind::kBuffer))) {
    std::fill_n(begin(), bytes / 4, value);
  }
  ~Memory() { comm_.Free(floats_); }
  float* begin() const {
    const auto address = reinterpret_cast<uintptr_t>(floats_);
    return reinterpret_cast<float*>((address + kLine - 1) / kLine * kLine);
  }

 private:
  static constexpr int64_t kLine = 64;
  Communicator& comm_;
  float* floats_;
};

}  // namespace

CollectiveTimes MeasureCollective(Communicator& comm, Device& device, CollectiveKind kind, int64_t bytes, int rounds,
                                  const PeerCollective& peer) {
  const int world_size = comm.world_size();
  const int64_t part = bytes / 4 / world_size;
  std::vector<int64_t> cut;
  for (int rank = 0; rank <= world_size; ++rank) cut.push_back(rank * part);
  const auto stream = device.MakeStream(StreamRole::kCompute);
  const Memory full(comm, bytes, 1), other(comm, bytes, 2);

  const auto ours = [&] {
    if (kind == CollectiveKind::kReduceScatter) {
      comm.ReduceScatter(full.begin(), full.begin(), {cut}, {RankFold(world_size, 1), 1}, WireType::kFp32, *stream,
                         "benchmark");
    } else {
      comm.AllGather(full.begin(), full.begin(), {cut}, 4, *stream, "benchmark");
    }
    stream->Synchronize();
  };
  const auto bound = [&] {
    if (kind == CollectiveKind::kReduceScatter) {
      SumAsBound(other.begin(), full.begin(), world_size, part);
    } else {
      CopyAsBound(other.begin(), full.begin(), (world_size - 1) * part);
    }
  };
  const auto time = [&](double* best, const std::function<void()>& operation) {
    comm.Barrier("start");
    const double seconds = SecondsOf(kSeveral, operation);
    *best = std::min(*best, OfTheSlowest(comm, *stream, seconds));
  };

  CollectiveTimes times;
  for (int round = 0; round < rounds; ++round) {
    time(&times.ours, ours);
    time(&times.bound, bound);
    if (peer) time(&times.peer, [&] { peer(kind, full.begin(), other.begin(), part); });
  }
  return times;
}

}  // namespace zerocts
