// Ranks are processes of one MPI job, on any number of hosts. Only messages that can be polled are used, so that every
// wait has a deadline.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/comm/collective_call.hpp"
#include "impl/comm/mpi_runtime.hpp"
#include "impl/comm/ordered_fold.hpp"

namespace zerocts {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);
constexpr int64_t kLargestMessage = int64_t{1} << 30;  // bytes; MPI counts in int
constexpr int64_t kFoldChunk = 65536;  // elements that are in flight per peer while a piece is folded: 256 KiB
constexpr int kYields = 2000;          // polls before this rank sleeps between polls
constexpr auto kNap = std::chrono::microseconds(50);

/// Messages of one collective that are under way.
class Messages {
 public:
  Messages(const CollectiveCall& call, int world_size)
      : call_(call), world_size_(world_size), tag_(static_cast<int>(call.sequence() % 32768)) {}
  ~Messages() {
    if (!requests_.empty()) MarkMpiBroken();
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void Send(const void* data, int64_t bytes, int peer) {
    const auto* from = static_cast<const std::byte*>(data);
    InParts(bytes, [&](int64_t begin, int size) {
      CheckMpi(MPI_Isend(from + begin, size, MPI_BYTE, peer, tag_, MPI_COMM_WORLD, Add(peer, false)), "MPI_Isend");
    });
  }

  void Receive(void* data, int64_t bytes, int peer) {
    auto* to = static_cast<std::byte*>(data);
    InParts(bytes, [&](int64_t begin, int size) {
      CheckMpi(MPI_Irecv(to + begin, size, MPI_BYTE, peer, tag_, MPI_COMM_WORLD, Add(peer, true)), "MPI_Irecv");
    });
  }

  /// Returns when all are sent and received. Throws CollectiveTimeout naming the peers whose messages did not come.
  void Complete() {
    for (int polls = 0; !AllDone(); ++polls) {
      if (call_.expired()) throw call_.Timeout(Abandon());
      polls < kYields ? static_cast<void>(sched_yield()) : std::this_thread::sleep_for(kNap);
    }
    requests_.clear();
    about_.clear();
  }

 private:
  struct About {
    int peer;
    bool receives;
  };

  template <class Post>
  static void InParts(int64_t bytes, const Post& post) {
    int64_t begin = 0;
    do {  // also an empty message, so that an empty piece still says that its rank has come
      const int64_t size = std::min(kLargestMessage, bytes - begin);
      post(begin, static_cast<int>(size));
      begin += size;
    } while (begin < bytes);
  }

  MPI_Request* Add(int peer, bool receives) {
    about_.push_back({peer, receives});
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  bool AllDone() {
    int done = 0;
    CheckMpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
             "MPI_Testall");
    return done != 0;
  }

  Attendance Abandon() {
    std::vector<bool> missing(world_size_, false);
    for (size_t i = 0; i < requests_.size(); ++i) {
      int done = 0;
      MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
      if (done) continue;
      missing[about_[i].peer] = true;
      if (about_[i].receives) MPI_Cancel(&requests_[i]);
      MPI_Request_free(&requests_[i]);
    }
    Attendance attendance;
    for (int rank = 0; rank < world_size_; ++rank) {
      (missing[rank] ? attendance.missing : attendance.arrived).push_back(rank);
    }
    return attendance;
  }

  const CollectiveCall& call_;
  const int world_size_, tag_;
  std::vector<MPI_Request> requests_;
  std::vector<About> about_;
};

class MpiCommunicator : public Communicator {
 public:
  explicit MpiCommunicator(const CommunicatorSettings& settings) : settings_(settings) {
    if (settings.ranks_share_process && settings.world_size > 1) {
      throw std::invalid_argument(
          "comm mpi: ranks are threads of one process; expected one process per rank, or comm threads");
    }
    if (MpiIsBroken()) {
      throw std::runtime_error(
          "comm mpi: an earlier wait of this process ran out and its messages may still come; start the ranks again");
    }
    settings.progress("MPI_Init", "mpi");
    StartMpi();
    int rank = 0, world_size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (rank != settings.rank || world_size != settings.world_size) {
      throw std::invalid_argument(
          fmt::format("comm mpi: this process is rank {} of {} in MPI_COMM_WORLD, but rank {} of {} was asked; "
                      "start the ranks with one mpirun -n {}, or choose comm shm",
                      rank, world_size, settings.rank, settings.world_size, settings.world_size));
    }
    Barrier("join");
  }

  ~MpiCommunicator() override { Release(staging_); }

  int rank() const override { return settings_.rank; }
  int world_size() const override { return settings_.world_size; }
  std::string name() const override { return "mpi"; }
  int64_t staging_bytes() const override { return staging_bytes_; }

  void* Allocate(int64_t bytes, MemoryKind kind) override { return settings_.device->Allocate(bytes, kind); }
  void Free(void* memory) override { Release(memory); }

  void AllGather(void* buffer, const std::vector<int64_t>& offsets, const char* what) override {
    CheckOffsets(offsets, world_size());
    const CollectiveCall call(settings_, ++calls_, "all_gather", what);
    Messages messages(call, world_size());
    auto* bytes = static_cast<std::byte*>(buffer);
    const auto size = [&](int owner) { return offsets[owner + 1] - offsets[owner]; };
    ForEachPeer([&](int peer) { messages.Receive(bytes + offsets[peer], size(peer), peer); });
    ForEachPeer([&](int peer) { messages.Send(bytes + offsets[rank()], size(rank()), peer); });
    messages.Complete();
  }

  void ReduceScatter(float* out, float* full, const std::vector<int64_t>& offsets, const Fold& fold, float divisor,
                     DeviceStream& stream, const char* what) override {
    CheckOffsets(offsets, world_size());
    const CollectiveCall call(settings_, ++calls_, "reduce_scatter", what);
    const auto numel = [&](int owner) { return offsets[owner + 1] - offsets[owner]; };
    int64_t longest = 0;
    for (int owner = 0; owner < world_size(); ++owner) longest = std::max(longest, numel(owner));
    const int64_t chunk = std::min(kFoldChunk, longest);
    auto* staging = static_cast<float*>(Staging(chunk * (world_size() - 1) * kFloatBytes));

    int64_t begin = 0;
    do {  // at least one round, so that ranks meet even when nobody owns anything
      const auto in_this_round = [&](int owner) { return std::clamp<int64_t>(numel(owner) - begin, 0, chunk); };
      const int64_t mine = in_this_round(rank());
      std::vector<const float*> leaves(world_size(), full + offsets[rank()] + begin);
      Messages messages(call, world_size());
      float* slot = staging;
      ForEachPeer([&](int peer) {
        leaves[peer] = slot;
        messages.Receive(slot, mine * kFloatBytes, peer);
        slot += chunk;
      });
      ForEachPeer(
          [&](int peer) { messages.Send(full + offsets[peer] + begin, in_this_round(peer) * kFloatBytes, peer); });
      messages.Complete();
      FoldPiece(out + begin, fold, leaves, divisor, mine, stream);
      begin += chunk;
    } while (begin < longest);
  }

  void AllReduceSum(uint64_t* inout, int64_t count, const char* what) override {
    const CollectiveCall call(settings_, ++calls_, "all_reduce", what);
    const int64_t bytes = count * static_cast<int64_t>(sizeof(uint64_t));
    auto* words = static_cast<uint64_t*>(Staging(world_size() * bytes));  // [world_size][count]
    std::copy_n(inout, count, words + rank() * count);
    Messages messages(call, world_size());
    ForEachPeer([&](int peer) { messages.Receive(words + peer * count, bytes, peer); });
    ForEachPeer([&](int peer) { messages.Send(words + rank() * count, bytes, peer); });
    messages.Complete();
    ForEachPeer([&](int peer) {
      for (int64_t i = 0; i < count; ++i) inout[i] += words[peer * count + i];
    });
  }

  void Barrier(const char* what) override {
    const CollectiveCall call(settings_, ++calls_, "barrier", what);
    Messages messages(call, world_size());
    ForEachPeer([&](int peer) { messages.Receive(nullptr, 0, peer); });
    ForEachPeer([&](int peer) { messages.Send(nullptr, 0, peer); });
    messages.Complete();
  }

 private:
  /// Starts with the next rank, so that not all ranks talk to rank 0 first.
  template <class Visit>
  void ForEachPeer(const Visit& visit) const {
    for (int hop = 1; hop < world_size(); ++hop) visit((rank() + hop) % world_size());
  }

  /// At least `bytes` for the messages of one call; kept from call to call.
  void* Staging(int64_t bytes) {
    if (bytes > staging_bytes_) {
      Release(std::exchange(staging_, nullptr));
      staging_bytes_ = 0;
      staging_ = settings_.device->Allocate(bytes, MemoryKind::kBuffer);
      staging_bytes_ = bytes;
    }
    return staging_;
  }

  void Release(void* memory) const {
    if (memory && !MpiIsBroken()) settings_.device->Free(memory);  // else a message may still use it
  }

  const CommunicatorSettings settings_;
  uint64_t calls_ = 0;
  void* staging_ = nullptr;
  int64_t staging_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> MakeMpiCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<MpiCommunicator>(settings);
}

}  // namespace zerocts
