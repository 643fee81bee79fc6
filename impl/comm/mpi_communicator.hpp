// Ranks are processes of one MPI job, on any number of hosts. Only messages that can be polled are used, so that every
// wait has a deadline.
#pragma once
#include <string>
#include <vector>

#include "impl/comm/enqueuing_communicator.hpp"
#include "impl/comm/mpi_messages.hpp"
#include "impl/comm/mpi_tags.hpp"
#include "impl/comm/parts.hpp"

namespace zerocts {

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
  void Meet(const CollectiveCall& call) override;

 private:
  MpiMessages MessagesOf(const CollectiveCall& call) const {
    return MpiMessages(call, group(), tags_.ForCall(call.sequence()));
  }
  Moved Gather(const GatherRequest& request, const CollectiveCall& call) const;
  Moved Reduce(const ReduceRequest& request, std::byte* staged, int64_t slot_bytes, const CollectiveCall& call) const;
  Moved Sum(uint64_t* inout, int64_t count, uint64_t* words, const CollectiveCall& call) const;

  const MpiTags tags_;
};

}  // namespace zerocts
