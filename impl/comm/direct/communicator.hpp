// Collectives between ranks that read each other's memory: each rank takes what it needs from where its peers left it.
// Threads and shared memory differ only in how that memory comes into reach.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "impl/comm/direct/barrier.hpp"
#include "impl/comm/direct/shared_block.hpp"
#include "impl/comm/enqueuing_communicator.hpp"

namespace zerocts::engine {

/// Memory of one collective allocation, as this rank sees it.
struct Window {
  uint64_t number = 0;              // counts the allocations of the communicator
  int64_t bytes = 0;                // this rank's own
  std::vector<std::byte*> of_rank;  // [world_size]; of_rank[rank] is this rank's own
};

class DirectCommunicator : public EnqueuingCommunicator {
 public:
  void* Allocate(int64_t bytes, MemoryKind kind) override;
  void Free(void* memory) override;

  // For a transport that has one of these in each of several hosts, and messages between them. Its collectives begin
  // with Publish and end with a barrier; between them ranks read each other's memory.

  /// A window, and an offset in this rank's memory of it.
  struct WindowOffset {
    std::shared_ptr<const Window> window;
    int64_t offset = 0;
  };
  WindowOffset OffsetOf(const void* memory) const;

  /// What a rank lets the others read in one collective.
  struct Published {
    const std::byte* memory = nullptr;
    bool in_place = false;
  };
  /// A barrier; [world_size] what each rank published.
  std::vector<Published> Publish(const WindowOffset& own, bool in_place, const CollectiveCall& call);
  void ArriveAndWait(const CollectiveCall& call) override { barrier_->ArriveAndWait(call); }
  void ArriveAndWait(const CollectiveCall& call, const std::function<void()>& meanwhile) {
    barrier_->ArriveAndWait(call, meanwhile);
  }
  void Abort() override { barrier_->Abort(); }

  void CountRead(int peer, int64_t bytes) { block().slot(peer).read_by_peers += bytes; }
  int64_t BytesReadByPeers() { return block().slot(rank()).read_by_peers.exchange(0); }

 protected:
  DirectCommunicator(std::string name, const CommunicatorSettings& settings);

  /// To be called once, before anything else: from here on ranks can wait for each other. Collective.
  void Join(std::shared_ptr<SharedBlock> block);
  SharedBlock& block() { return *block_; }

  /// Collective: the ranks' memory, `bytes` of it on this rank, within reach of all. `barrier` waits for all ranks.
  virtual std::vector<std::byte*> Map(int64_t bytes, MemoryKind kind, const std::function<void()>& barrier) = 0;
  virtual void Unmap(std::byte* own) = 0;

  Body GatherBody(GatherRequest request, DeviceStream& stream) override;
  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override;
  Body SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) override;

 private:
  void Publish(const WindowOffset& at, bool in_place);
  const std::byte* PublishedBy(int peer, const WindowOffset& mine, const CollectiveCall& call);
  /// After the barrier. All of it is looked at before any is read: where one rank finds another call, all do, and none
  /// reads memory that another frees while it fails.
  std::vector<Published> AllPublished(const WindowOffset& own, const CollectiveCall& call);

  // `ops` are those of the stream's work: what they did has happened when they return.
  Moved Gather(Ops& ops, const GatherRequest& request, const WindowOffset& own, const CollectiveCall& call);
  Moved Reduce(Ops& ops, const ReduceRequest& request, const WindowOffset& full, std::byte* scratch,
               const CollectiveCall& call);
  Moved Sum(uint64_t* inout, int64_t count, const CollectiveCall& call);

  std::shared_ptr<SharedBlock> block_;
  std::unique_ptr<SharedBarrier> barrier_;  // in *block_
  std::vector<std::shared_ptr<const Window>> windows_;
  uint64_t allocations_ = 0;
  uint64_t exchanges_ = 0;  // uses of RankSlot::words
};

}  // namespace zerocts::engine
