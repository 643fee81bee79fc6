// Ranks are processes of one MPI job, on any number of hosts. Only messages that can be polled are used, so that every
// wait has a deadline.
#pragma once
#include <string>
#include <vector>

#include "impl/comm/enqueuing_communicator.hpp"
#include "impl/comm/mpi/messages.hpp"
#include "impl/comm/parts.hpp"

namespace zerocts::engine {

class MpiCommunicator : public EnqueuingCommunicator {
 public:
  explicit MpiCommunicator(const CommunicatorSettings& settings, const std::string& name = "mpi");
  ~MpiCommunicator() override;

  void* Allocate(int64_t bytes, MemoryKind kind) override;
  void Free(void* memory) override;

 protected:
  Body GatherBody(GatherRequest request, DeviceStream& stream) override;
  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override;
  Body SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) override;
  void ArriveAndWait(const CollectiveCall& call) override;

  MpiMessages MessagesOf(const CollectiveCall& call) const {
    return MpiMessages(call, group(), tags_.ForCall(call.sequence()));
  }

  /// The `bytes` at of_rank + rank * bytes reach the same offset on every other rank.
  void Exchange(void* of_rank, int64_t bytes, const CollectiveCall& call) const;

  /// Where an ordered reduce-scatter finds the ranks' contributions: [world_size] memory in reach, or nullptr for those
  /// that come as messages.
  using InReach = std::vector<const std::byte*>;
  struct ReduceStaging {
    std::byte* slots;  // of one chunk each
    int64_t slot_bytes;
    std::byte* scratch;  // of PartFold
  };
  /// `far`: how many ranks' contributions come as messages.
  ReduceStaging StagingFor(const ReduceRequest& request, int far, DeviceStream& stream);
  /// Counts the bytes of messages.
  Moved Reduce(const ReduceRequest& request, const InReach& in_reach, const ReduceStaging& staging,
               const CollectiveCall& call) const;

 private:
  Moved Gather(const GatherRequest& request, const CollectiveCall& call) const;
  Moved Sum(uint64_t* inout, int64_t count, uint64_t* words, const CollectiveCall& call) const;

  const MpiTags tags_;
};

}  // namespace zerocts::engine
