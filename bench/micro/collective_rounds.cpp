#include "bench/micro/collective_rounds.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "bench/bounds/memory_bound.hpp"
#include "bench/timing/timing.hpp"
#include "impl/comm/huge_pages.hpp"

namespace zerocts {
namespace {

constexpr int kSeveral = 2;  // ranks are timed by the wall clock, see timing.hpp

/// Seconds from the first rank's begin to the last rank's end, on every rank. Ranks are on one host and share its
/// clock.
double OfAllRanks(engine::Communicator& comm, engine::DeviceStream& stream, double begin, double end) {
  // The extremes by sums alone: each rank has words of its own.
  const int world_size = comm.world_size();
  std::vector<uint64_t> words(static_cast<size_t>(2 * world_size));
  words[comm.rank()] = std::bit_cast<uint64_t>(begin);
  words[world_size + comm.rank()] = std::bit_cast<uint64_t>(end);
  comm.AllReduceSum(words.data(), 2 * world_size, stream, "seconds");
  stream.Synchronize();
  for (int rank = 0; rank < world_size; ++rank) {
    begin = std::min(begin, std::bit_cast<double>(words[rank]));
    end = std::max(end, std::bit_cast<double>(words[world_size + rank]));
  }
  return end - begin;
}

/// Memory of this process alone, in huge pages where the system gives them: the best there is, for the bound.
class PrivateMemory {
 public:
  explicit PrivateMemory(int64_t bytes) : bytes_(static_cast<size_t>(bytes) + 2 * engine::kHugePage) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    engine::AdviseHugePages(memory_, static_cast<int64_t>(bytes_));
    std::memset(memory_, 0, bytes_);
  }
  ~PrivateMemory() { munmap(memory_, bytes_); }
  PrivateMemory(const PrivateMemory&) = delete;
  PrivateMemory& operator=(const PrivateMemory&) = delete;
  float* floats() const {
    const auto address = reinterpret_cast<uintptr_t>(memory_);
    return reinterpret_cast<float*>((address + engine::kHugePage - 1) / engine::kHugePage * engine::kHugePage);
  }

 private:
  const size_t bytes_;
  void* memory_;
};

}  // namespace

CollectiveTimes MeasureCollective(engine::Communicator& comm, engine::Device& device, CollectiveKind kind,
                                  int64_t bytes, int rounds, const PeerCollectives& peers) {
  const int world_size = comm.world_size();
  const int64_t part = bytes / 4 / world_size;
  std::vector<int64_t> cut;
  for (int rank = 0; rank <= world_size; ++rank) cut.push_back(rank * part);
  const auto stream = device.MakeStream(engine::StreamRole::kCompute);
  const auto allocate = [&] { return static_cast<float*>(comm.Allocate(bytes, engine::MemoryKind::kGradient)); };
  float* const full = allocate();
  std::fill_n(full, bytes / 4, 1.0f);
  float *peer_in = nullptr, *peer_out = nullptr;  // memory of the same kind
  if (peers.blocking) {
    peer_in = allocate();
    peer_out = allocate();
    std::fill_n(peer_in, bytes / 4, 1.0f);
  }
  const PrivateMemory in(bytes), out(bytes);

  const auto ours = [&] {
    if (kind == CollectiveKind::kReduceScatter) {
      comm.ReduceScatter(full, full, {cut}, {RankFold(world_size, 1), 1}, engine::WireType::kFp32, *stream,
                         "benchmark");
    } else {
      comm.AllGather(full, full, {cut}, 4, *stream, "benchmark");
    }
    stream->Synchronize();
  };
  const auto bound = [&] {
    if (kind == CollectiveKind::kReduceScatter) {
      SumAsBound(out.floats(), in.floats(), world_size, part);
    } else {
      CopyAsBound(out.floats(), in.floats(), (world_size - 1) * part);
    }
  };
  const auto time = [&](double* best, const std::function<void()>& operation) {
    comm.Barrier("start");
    const double begin = Now(kSeveral);
    operation();
    *best = std::min(*best, OfAllRanks(comm, *stream, begin, Now(kSeveral)));
  };

  CollectiveTimes times;
  for (int round = 0; round < rounds; ++round) {
    time(&times.ours, ours);
    time(&times.bound, bound);
    if (peers.blocking) time(&times.peer, [&] { peers.blocking(kind, peer_in, peer_out, part); });
    if (peers.polled) time(&times.polled_peer, [&] { peers.polled(kind, peer_in, peer_out, part); });
  }
  for (float* memory : {full, peer_in, peer_out}) {
    if (memory) comm.Free(memory);
  }
  return times;
}

}  // namespace zerocts
