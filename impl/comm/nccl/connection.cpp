#include "impl/comm/nccl/connection.hpp"

#include <fmt/format.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "impl/comm/poll_pause.hpp"
#include "impl/comm/store.hpp"

namespace zerocts::engine {
namespace {

constexpr auto kPatienceAtTheEnd = std::chrono::seconds(5);  // with calls that clean up and cannot be polled

/// Calls `call` on a thread of its own and waits for it a while; false: it goes on without anybody waiting.
bool Returns(std::function<void()> call) {
  std::packaged_task<void()> task(std::move(call));
  const std::future<void> done = task.get_future();
  std::thread(std::move(task)).detach();
  return done.wait_for(kPatienceAtTheEnd) == std::future_status::ready;
}

}  // namespace

NcclConnection::NcclConnection(const CommunicatorSettings& settings, const Group& group, const CollectiveCall& join)
    : nccl_(NcclLibrary::OfThisProcess()),
      heartbeats_(std::make_unique<Heartbeats>(settings, group, group.Key("nccl"), join)) {
  try {
    Join(join, group, SharedId(settings, group, join));
  } catch (...) {
    heartbeats_->Leave(join.sequence());
    Abort();
    throw;
  }
}

NcclConnection::NcclConnection(const CommunicatorSettings& settings, const Group& group, const CollectiveCall& join,
                               NcclConnection& parent, const CollectiveCall& split)
    : nccl_(parent.nccl_) {
  try {
    comm_ = parent.Split(split, group);  // ranks that do not come are missing in it
    heartbeats_ = std::make_unique<Heartbeats>(settings, group, group.Key("nccl"), join);
    Await(join, [] { return true; });
  } catch (...) {
    if (heartbeats_) heartbeats_->Leave(join.sequence());
    Abort();
    throw;
  }
}

NcclConnection::~NcclConnection() {
  if (!comm_) return;
  Returns([&nccl = nccl_, comm = comm_] {
    ncclResult_t state = nccl.CommFinalize(comm);
    while (state == ncclInProgress && nccl.CommGetAsyncError(comm, &state) == ncclSuccess) {
      std::this_thread::sleep_for(PollPause::kNap);
    }
    state == ncclSuccess ? nccl.CommDestroy(comm) : nccl.CommAbort(comm);
  });
}

ncclUniqueId NcclConnection::SharedId(const CommunicatorSettings& settings, const Group& group,
                                      const CollectiveCall& join) const {
  const std::string key = group.Key("nccl");
  if (group.rank != 0) return GetValue<ncclUniqueId>(settings.store, key);
  ncclUniqueId id;
  Require(nccl_.GetUniqueId(&id), join, "ncclGetUniqueId");
  SetValue(settings.store, key, id);
  return id;
}

void NcclConnection::Join(const CollectiveCall& join, const Group& group, const ncclUniqueId& id) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  Require(nccl_.CommInitRankConfig(&comm_, group.size(), id, group.rank, &config), join, "ncclCommInitRankConfig");
  Await(join, [] { return true; });
}

/// NCCL writes down the new communicator by a thread of its own when it has made it, and lets the state of this one
/// tell. Only an abort that returns has ended that thread.
ncclComm_t NcclConnection::Split(const CollectiveCall& call, const Group& group) {
  if (!comm_) throw std::logic_error(call.name() + ": an earlier call of this communicator failed");
  auto made = std::make_unique<ncclComm_t>(nullptr);
  heartbeats_->Enter(call);
  try {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    Require(nccl_.CommSplit(comm_, group.members.front(), group.rank, made.get(), &config), call, "ncclCommSplit");
    Await(call, [] { return true; });
    if (!*made) throw std::runtime_error(call.name() + ": ncclCommSplit: it ended well and gave no communicator");
    return *made;
  } catch (...) {
    heartbeats_->Leave(call.sequence());
    Abort();
    if (abort_hangs_) {
      static_cast<void>(made.release());
    } else if (*made) {
      abort_hangs_ = !AbortReturns(*made);
    }
    throw;
  }
}

void NcclConnection::Register(void* memory, int64_t bytes) {
  if (bytes == 0) return;
  void* handle = nullptr;
  const ncclResult_t result = nccl_.CommRegister(comm_, memory, static_cast<size_t>(bytes), &handle);
  if (result != ncclSuccess) {
    const std::string reason = nccl_.Explain(result, comm_);
    Abort();
    throw std::runtime_error(fmt::format(
        "comm nccl, nccl_register=on: ncclCommRegister of {} bytes: {}; choose nccl_register=off", bytes, reason));
  }
  registered_[memory] = handle;
}

/// Destructors come here: what is wrong is left to the next call.
void NcclConnection::Deregister(void* memory) {
  nccl_.CommDeregister(comm_, registered_.at(memory));
  registered_.erase(memory);
}

void NcclConnection::Perform(const CollectiveCall& call, DeviceStream& stream,
                             const std::function<void(Posting&)>& post) {
  if (!comm_) throw std::logic_error(call.name() + ": an earlier call of this communicator failed");
  heartbeats_->Enter(call);
  try {
    Require(nccl_.GroupStart(), call, "ncclGroupStart");
    try {
      Posting posting(*this, call, static_cast<cudaStream_t>(stream.native_handle()));
      post(posting);
    } catch (...) {
      nccl_.GroupEnd();  // closes the group of this thread
      throw;
    }
    Require(nccl_.GroupEnd(), call, "ncclGroupEnd");
    Await(call, [&] { return stream.native_handle_is_idle(); });
  } catch (...) {
    heartbeats_->Leave(call.sequence());
    Abort();
    throw;
  }
}

/// First NCCL has enqueued everything, then the GPU has done it.
void NcclConnection::Await(const CollectiveCall& call, const std::function<bool()>& done) {
  for (PollPause pause;; pause.Wait()) {
    ncclResult_t state = ncclSuccess;
    Require(nccl_.CommGetAsyncError(comm_, &state), call, "ncclCommGetAsyncError");
    Require(state, call, "asynchronously");
    if (state == ncclSuccess && done()) return;
    heartbeats_->Wait(call);
  }
}

void NcclConnection::Require(ncclResult_t result, const CollectiveCall& call, const char* function) const {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw std::runtime_error(fmt::format("{}: {}: {}", call.name(), function, nccl_.Explain(result, comm_)));
}

void NcclConnection::Abort() {
  if (!comm_) return;
  registered_.clear();
  abort_hangs_ = !AbortReturns(std::exchange(comm_, nullptr));
}

bool NcclConnection::AbortReturns(ncclComm_t comm) const {
  return Returns([&nccl = nccl_, comm] { nccl.CommAbort(comm); });
}

void NcclConnection::Posting::Send(const void* data, int64_t bytes, int peer) {
  Require(nccl().Send(data, static_cast<size_t>(bytes), ncclUint8, peer, comm(), stream_), "ncclSend");
}

void NcclConnection::Posting::Receive(void* data, int64_t bytes, int peer) {
  Require(nccl().Recv(data, static_cast<size_t>(bytes), ncclUint8, peer, comm(), stream_), "ncclRecv");
}

void NcclConnection::Posting::AllGather(void* full, const void* own, int64_t own_bytes) {
  Require(nccl().AllGather(own, full, static_cast<size_t>(own_bytes), ncclUint8, comm(), stream_), "ncclAllGather");
}

void NcclConnection::Posting::ReduceScatter(void* own, const void* full, int64_t own_numel, ncclDataType_t type) {
  Require(nccl().ReduceScatter(full, own, static_cast<size_t>(own_numel), type, ncclSum, comm(), stream_),
          "ncclReduceScatter");
}

void NcclConnection::Posting::Reduce(void* sum, const void* contribution, int64_t numel, ncclDataType_t type,
                                     int root) {
  Require(nccl().Reduce(contribution, sum, static_cast<size_t>(numel), type, ncclSum, root, comm(), stream_),
          "ncclReduce");
}

}  // namespace zerocts::engine
