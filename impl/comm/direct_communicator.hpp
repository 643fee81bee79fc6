// Collectives between ranks that read each other's memory: each rank takes what it needs from where its peers left it.
// Threads and shared memory differ only in how that memory comes into reach.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "impl/comm/collective_call.hpp"
#include "impl/comm/communicator.hpp"
#include "impl/comm/meeting.hpp"
#include "impl/comm/shared_block.hpp"

namespace zerocts {

/// Memory of one collective allocation, as this rank sees it.
struct Window {
  std::vector<std::byte*> of_rank;  // [world_size]; of_rank[rank] is this rank's own
};

class DirectCommunicator : public Communicator {
 public:
  int rank() const override { return settings_.rank; }
  int world_size() const override { return settings_.world_size; }
  std::string name() const override { return name_; }

  void* Allocate(int64_t bytes, MemoryKind kind) override;
  void Free(void* memory) override;
  int64_t staging_bytes() const override { return 0; }
  void AllGather(void* buffer, const std::vector<int64_t>& offsets_bytes, const char* what) override;
  void ReduceScatter(float* out, float* full, const std::vector<int64_t>& offsets, const Fold& fold, float divisor,
                     DeviceStream& stream, const char* what) override;
  void AllReduceSum(uint64_t* inout, int64_t count, const char* what) override;
  void Barrier(const char* what) override;

 protected:
  DirectCommunicator(std::string name, const CommunicatorSettings& settings);

  /// To be called once, before anything else: from here on ranks can wait for each other. Collective.
  void Join(std::shared_ptr<SharedBlock> block);
  SharedBlock& block() { return *block_; }
  const CommunicatorSettings& settings() const { return settings_; }

  /// Collective: `bytes` on this rank, within reach of all. `meet` waits for all ranks.
  virtual Window Map(int64_t bytes, MemoryKind kind, const std::function<void()>& meet) = 0;
  virtual void Unmap(const Window& window) = 0;

 private:
  const Window& WindowOf(const void* memory) const;

  const std::string name_;
  const CommunicatorSettings settings_;
  std::shared_ptr<SharedBlock> block_;
  std::unique_ptr<Meeting> meeting_;  // in *block_
  std::vector<Window> windows_;
  uint64_t calls_ = 0;
  uint64_t exchanges_ = 0;  // uses of RankSlot::words
};

}  // namespace zerocts
