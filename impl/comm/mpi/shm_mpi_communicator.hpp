// Ranks are processes on several hosts: shared memory inside a host, messages between hosts, as one transport with the
// same bits as all others.
//
// Reduce-scatter: an owner reads the contributions of its host where they stand and gets those of other hosts as
// messages, each rank's by itself, then folds all of them: only an owner knows its order, and nothing may be added that
// it does not add. All-gather: each part crosses to another host once; a rank there, its gateway, receives it chunk by
// chunk into memory that its host reads. Words are added up by the first rank of each host, summed between these, and
// read by the others from the first.
//
// What a rank moves, b ranks being on its host and H hosts in the group, W ranks in all:
//   reduce-scatter  received: (W - 1) times its parts; sent: once the parts of all others
//   all-gather      received: once the parts of all others; sent: (b - 1 + H - 1) times its parts, and (b - 1) times
//                   those for which it is the gateway
//   words           received and sent: once; by the first rank of a host: b - 1 + H - 1 times
// Summed over ranks that is, as in every transport, (W - 1) times the buffer, and for words less.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "impl/comm/direct/communicator.hpp"
#include "impl/comm/hosts.hpp"
#include "impl/comm/mpi/communicator.hpp"

namespace zerocts::engine {

class SharedStaging {
 public:
  explicit SharedStaging(DirectCommunicator& host) : host_(host) {}
  ~SharedStaging() { Release(); }
  SharedStaging(const SharedStaging&) = delete;
  SharedStaging& operator=(const SharedStaging&) = delete;

  /// Collective over the host's ranks, with the same `bytes`, at least so many for each: where each rank's are,
  /// [world_size of the host]. Otherwise as Staging::Reserve.
  std::vector<std::byte*> Reserve(int64_t bytes, DeviceStream& stream) {
    if (bytes > bytes_) {
      stream.Synchronize();
      Release();
      memory_ = host_.Allocate(bytes, MemoryKind::kBuffer);
      bytes_ = bytes;
    }
    return bytes_ > 0 ? host_.OffsetOf(memory_).window->of_rank
                      : std::vector<std::byte*>(static_cast<size_t>(host_.world_size()));
  }

  int64_t bytes() const { return bytes_; }  // of this rank

  /// The memory is left to messages that may still come.
  void Abandon() { memory_ = nullptr; }

 private:
  void Release() {
    if (memory_) host_.Free(std::exchange(memory_, nullptr));
    bytes_ = 0;
  }

  DirectCommunicator& host_;
  void* memory_ = nullptr;
  int64_t bytes_ = 0;
};

class ShmMpiCommunicator : public MpiCommunicator {
 public:
  explicit ShmMpiCommunicator(const CommunicatorSettings& settings);
  ~ShmMpiCommunicator() override;

  void* Allocate(int64_t bytes, MemoryKind kind) override { return here_->Allocate(bytes, kind); }
  void Free(void* memory) override;
  int64_t staging_bytes() const override { return MpiCommunicator::staging_bytes() + shared_->bytes(); }

 protected:
  Body GatherBody(GatherRequest request, DeviceStream& stream) override;
  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override;
  Body SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) override;
  void Abort() override { here_->Abort(); }

 private:
  using WindowOffset = DirectCommunicator::WindowOffset;

  /// A chunk of an owner's parts, which comes from another host.
  struct Incoming {
    int owner;
    std::vector<Part> parts;
  };
  /// The chunks that each rank of this host receives as their gateway, in the order in which they come.
  std::vector<std::vector<Incoming>> IncomingOfThisHost(const Cuts& cuts, int64_t chunk_numel) const;

  Hosts FindHosts();
  std::unique_ptr<DirectCommunicator> JoinThisHost();
  const std::vector<int>& RanksHere() const { return hosts_.ranks[hosts_.host_of[rank()]]; }

  void SendToGateways(const GatherRequest& request, int64_t chunk_numel, MpiMessages& messages, Moved& moved) const;
  Moved Gather(const GatherRequest& request, const WindowOffset& own, const std::vector<std::byte*>& slots,
               int64_t slot_bytes, const CollectiveCall& call);
  Moved Reduce(const ReduceRequest& request, const WindowOffset& full, const ReduceStaging& staged,
               const CollectiveCall& call);
  Moved Sum(uint64_t* inout, int64_t count, const std::vector<std::byte*>& words, uint64_t* received,
            const CollectiveCall& call);
  void AddOtherHosts(uint64_t* sum, int64_t count, uint64_t* received, const CollectiveCall& call, Moved& moved) const;

  const Hosts hosts_;
  Group host_;                                // the ranks of this host, as a group
  std::unique_ptr<DirectCommunicator> here_;  // between them
  std::unique_ptr<SharedStaging> shared_;
};

}  // namespace zerocts::engine
