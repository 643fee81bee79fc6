// One communicator of NCCL, never blocking: every wait polls, has a deadline, and names who is missing.
#pragma once
#include <nccl.h>

#include <functional>
#include <map>
#include <memory>

#include "impl/comm/collective_call.hpp"
#include "impl/comm/nccl/heartbeats.hpp"
#include "impl/comm/nccl/library.hpp"
#include "impl/device/device.hpp"

namespace zerocts::engine {

/// A call that fails aborts the communicator; nothing but the destructor may follow.
class NcclConnection {
 public:
  /// Collective, on a thread whose current GPU is the rank's: `join` is the call that all ranks make it in.
  NcclConnection(const CommunicatorSettings& settings, const Group& group, const CollectiveCall& join);
  /// The same for ranks of `parent`'s group, cut out of it in `split`, a call that all of those make: each is in one of
  /// several groups that share no rank.
  NcclConnection(const CommunicatorSettings& settings, const Group& group, const CollectiveCall& join,
                 NcclConnection& parent, const CollectiveCall& split);
  ~NcclConnection();
  NcclConnection(const NcclConnection&) = delete;
  NcclConnection& operator=(const NcclConnection&) = delete;

  /// NCCL's functions, with what this communicator and stream add to their arguments.
  class Posting {
   public:
    void Send(const void* data, int64_t bytes, int peer);
    void Receive(void* data, int64_t bytes, int peer);
    void AllGather(void* full, const void* own, int64_t own_bytes);
    void ReduceScatter(void* own, const void* full, int64_t own_numel, ncclDataType_t type);
    void Reduce(void* sum, const void* contribution, int64_t numel, ncclDataType_t type, int root);

   private:
    friend class NcclConnection;
    Posting(const NcclConnection& connection, const CollectiveCall& call, cudaStream_t stream)
        : connection_(connection), call_(call), stream_(stream) {}
    const NcclLibrary& nccl() const { return connection_.nccl_; }
    ncclComm_t comm() const { return connection_.comm_; }
    void Require(ncclResult_t result, const char* function) const { connection_.Require(result, call_, function); }

    const NcclConnection& connection_;
    const CollectiveCall& call_;
    const cudaStream_t stream_;
  };

  /// What `post` asks for, as one group of NCCL; it has happened when the call returns. Runs in the work of `stream`.
  void Perform(const CollectiveCall& call, DeviceStream& stream, const std::function<void(Posting&)>& post);

  /// Lets NCCL map memory of the device once instead of copying through its own buffers. Until Deregister, or a
  /// failure.
  void Register(void* memory, int64_t bytes);
  void Deregister(void* memory);
  bool IsRegistered(void* memory) const { return registered_.contains(memory); }

  /// False after a failure that NCCL did not come back from in time: the GPU may still use memory it was given.
  bool memory_is_free() const { return !abort_hangs_; }
  const NcclLibrary& library() const { return nccl_; }

 private:
  ncclUniqueId SharedId(const CommunicatorSettings& settings, const Group& group, const CollectiveCall& join) const;
  ncclComm_t Split(const CollectiveCall& call, const Group& group);
  void Join(const CollectiveCall& join, const Group& group, const ncclUniqueId& id);
  void Await(const CollectiveCall& call, const std::function<bool()>& done);
  void Require(ncclResult_t result, const CollectiveCall& call, const char* function) const;
  void Abort();
  bool AbortReturns(ncclComm_t comm) const;

  const NcclLibrary& nccl_;
  std::unique_ptr<Heartbeats> heartbeats_;
  ncclComm_t comm_ = nullptr;
  bool abort_hangs_ = false;
  std::map<void*, void*> registered_;  // memory: NCCL's handle of it
};

}  // namespace zerocts::engine
