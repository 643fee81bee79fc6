// Ranks on GPUs, through NCCL. Sums do not depend on it: contributions travel as bytes and are folded here in the
// declared order.
#pragma once
#include <memory>
#include <string>

#include "impl/comm/enqueuing_communicator.hpp"
#include "impl/comm/nccl/connection.hpp"

namespace zerocts::engine {

class NcclCommunicator : public EnqueuingCommunicator {
 public:
  /// `parent`: whose NCCL communicator this one's is cut out of; nullptr: made by itself.
  explicit NcclCommunicator(const CommunicatorSettings& settings, const std::string& name = "nccl",
                            NcclCommunicator* parent = nullptr);
  ~NcclCommunicator() override;

  int64_t staging_bytes() const override {
    return EnqueuingCommunicator::staging_bytes() + world_size();
  }  // the tokens
  void* Allocate(int64_t bytes, MemoryKind kind) override;
  void Free(void* memory) override;

 protected:
  Body GatherBody(GatherRequest request, DeviceStream& stream) override;
  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override;
  Body SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) override;
  void ArriveAndWait(const CollectiveCall& call) override;

  NcclConnection& connection() { return *connection_; }

 private:
  /// Work of the host on a thread whose current GPU is this rank's, at once.
  void AtOnce(const std::function<void(DeviceStream&)>& work);
  Moved Gather(const GatherRequest& request, DeviceStream& stream, const CollectiveCall& call);
  Moved Reduce(const ReduceRequest& request, std::byte* staged, int64_t slot_bytes, DeviceStream& stream,
               const CollectiveCall& call);
  Moved Sum(uint64_t* inout, int64_t count, uint64_t* words, DeviceStream& stream, const CollectiveCall& call);

  const std::unique_ptr<DeviceStream> own_stream_;
  std::byte* tokens_;  // one byte of each rank, on the device: what a barrier exchanges
  std::unique_ptr<NcclConnection> connection_;
};

/// Whether all parts of a cut are equal and not empty, as NCCL's own collectives want them.
bool HasEqualParts(const std::vector<int64_t>& cut);

}  // namespace zerocts::engine
