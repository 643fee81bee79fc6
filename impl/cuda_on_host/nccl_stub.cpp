// The functions of the stub. Nothing happens by itself: asking a communicator for its state moves it on.
#include <nccl.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "impl/cuda_on_host/nccl_stub_comm.hpp"
#include "reference/numerics/bf16.hpp"

using zerocts::Bf16;
using zerocts::engine::StubMail;

namespace {

size_t BytesOf(ncclDataType_t type) {
  return type == ncclUint8 ? 1 : type == ncclBfloat16 ? 2 : type == ncclFloat32 ? 4 : 0;
}

// The group of this thread.
thread_local int depth = 0;
thread_local ncclComm_t group_comm = nullptr;
thread_local Task group_task;

ncclResult_t ResultOf(ncclComm_t comm, const char* call) {
  const bool concerned = faults.call && std::strcmp(faults.call, call) == 0;
  if (concerned && (!comm || comm->faulty())) return static_cast<ncclResult_t>(faults.code);
  return ncclSuccess;
}

ncclResult_t EndGroup() {
  if (--depth > 0 || !group_comm) return ncclSuccess;
  group_comm->tasks.push_back(std::move(group_task));
  group_comm->asked = true;
  group_task = {};
  group_comm = nullptr;
  return ncclInProgress;
}

/// `call` on `comm`: what `add` puts into the group.
template <class Add>
ncclResult_t Post(ncclComm_t comm, const char* call, const Add& add) {
  if (const ncclResult_t wrong = ResultOf(comm, call); wrong != ncclSuccess) return wrong;
  ++depth;
  group_comm = comm;
  add(group_task);
  return EndGroup();
}

std::byte* Bytes(const void* memory) { return static_cast<std::byte*>(const_cast<void*>(memory)); }

float Get(const std::byte* at, ncclDataType_t type) {
  float wide;
  if (type == ncclFloat32) return std::memcpy(&wide, at, 4), wide;
  Bf16 narrow;
  std::memcpy(&narrow, at, 2);
  return zerocts::ToFloat(narrow);
}

void Set(std::byte* at, ncclDataType_t type, float value) {
  const Bf16 narrow = zerocts::ToBf16(value);
  type == ncclFloat32 ? std::memcpy(at, &value, 4) : std::memcpy(at, &narrow, 2);
}

/// sum = leaf + leaf + .., every sum rounded to the type, beginning behind `owner` in the ring.
void Fold(std::byte* sum, const std::vector<const std::byte*>& leaves, size_t count, ncclDataType_t type, int owner) {
  const int ranks = static_cast<int>(leaves.size()), first = faults.adds_in_rank_order ? 0 : owner + 1;
  const size_t bytes = BytesOf(type);
  for (size_t i = 0; i < count; ++i) {
    std::byte total[4];
    Set(total, type, Get(leaves[first % ranks] + i * bytes, type));
    for (int hop = 1; hop < ranks; ++hop) {
      Set(total, type, Get(total, type) + Get(leaves[(first + hop) % ranks] + i * bytes, type));
    }
    std::memcpy(sum + i * bytes, total, bytes);
  }
}

/// Contributions of all ranks to `count` elements of this rank, folded into `sum` when they have come.
void ReceiveAndFold(Task& task, ncclComm_t comm, std::byte* sum, const std::byte* own, size_t count,
                    ncclDataType_t type) {
  const size_t bytes = count * BytesOf(type);
  std::vector<const std::byte*> leaves(static_cast<size_t>(comm->size), own);
  for (int peer = 0; peer < comm->size; ++peer) {
    if (peer == comm->rank) continue;
    std::byte* memory = task.kept.emplace_back(bytes).data();
    task.receives.push_back({peer, memory, bytes});
    leaves[peer] = memory;
  }
  task.afterwards.push_back([=, rank = comm->rank] { Fold(sum, leaves, count, type, rank); });
}

}  // namespace

extern "C" {

zerocts::engine::NcclStubFaults* zerocts_nccl_stub_faults() { return &faults; }
zerocts::engine::NcclStubSeen* zerocts_nccl_stub_seen() { return &seen; }

ncclResult_t ncclGetVersion(int* version) {
  *version = faults.version ? faults.version : NCCL_VERSION_CODE;
  return ResultOf(nullptr, "ncclGetVersion");
}

const char* ncclGetErrorString(ncclResult_t code) { return code == ncclRemoteError ? "remote error" : "strange error"; }
const char* ncclGetLastError(ncclComm_t) { return "the stub was told to"; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = zerocts::engine::NewStubMail();
  return ResultOf(nullptr, "ncclGetUniqueId");
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (size > zerocts::engine::kMostStubRanks || config->blocking != 0) return ncclInvalidUsage;
  StubMail* mail = zerocts::engine::MapStubMail(id);
  if (!mail) return ncclSystemError;
  *comm = new ncclComm{rank, size, mail, {}};
  if ((*comm)->faulty() && faults.stalls && !faults.hides_stall) return ncclInProgress;
  ++mail->joined;
  return ncclInProgress;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* child, ncclConfig_t* config) {
  ++seen.splits;
  if (const ncclResult_t wrong = ResultOf(comm, "ncclCommSplit"); wrong != ncclSuccess) return wrong;
  if (config->blocking != 0 || comm->splits == StubMail::kMostSplits) return ncclInvalidUsage;
  zerocts::engine::StubSplit& mine = comm->mail->splits[comm->splits][comm->rank];
  mine.color = color;
  mine.key = key;
  mine.asked = !(comm->faulty() && faults.stalls);
  *child = nullptr;
  comm->to_be_split = child;
  comm->asked = true;
  return ncclInProgress;
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* memory, size_t, void** handle) {
  if (const ncclResult_t wrong = ResultOf(comm, "ncclCommRegister"); wrong != ncclSuccess) return wrong;
  ++seen.registered;
  *handle = memory;
  return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t, void*) {
  --seen.registered;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  comm->MoveOn();
  const bool done = comm->Initialized() && comm->tasks.empty();
  *state = !comm->to_be_split && (done || (comm->Initialized() && faults.hides_stall)) ? ncclSuccess : ncclInProgress;
  if (comm->faulty() && faults.async_code && comm->asked) *state = static_cast<ncclResult_t>(faults.async_code);
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) { return ResultOf(comm, "ncclCommFinalize"); }

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  zerocts::engine::UnmapStubMail(comm->mail);
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  while (comm->faulty() && faults.abort_hangs) usleep(1000);
  return ncclCommDestroy(comm);
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  const ncclComm_t comm = group_comm;
  const ncclResult_t ended = EndGroup();
  const ncclResult_t wrong = comm ? ResultOf(comm, "ncclGroupEnd") : ncclSuccess;
  return wrong != ncclSuccess ? wrong : ended;
}

ncclResult_t ncclSend(const void* data, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t) {
  return Post(comm, "ncclSend", [&](Task& task) { task.sends.push_back({peer, Bytes(data), count * BytesOf(type)}); });
}

ncclResult_t ncclRecv(void* data, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t) {
  return Post(comm, "ncclRecv", [&](Task& task) {
    task.receives.push_back({peer, Bytes(data), count * BytesOf(type)});
  });
}

ncclResult_t ncclAllGather(const void* own, void* full, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t) {
  const size_t bytes = count * BytesOf(type);
  return Post(comm, "ncclAllGather", [&](Task& task) {
    for (int peer = 0; peer < comm->size; ++peer) {
      if (peer == comm->rank) continue;
      task.sends.push_back({peer, Bytes(own), bytes});
      task.receives.push_back({peer, Bytes(full) + static_cast<size_t>(peer) * bytes, bytes});
    }
    task.afterwards.push_back([=] { std::memmove(Bytes(full) + static_cast<size_t>(comm->rank) * bytes, own, bytes); });
  });
}

ncclResult_t ncclReduceScatter(const void* full, void* own, size_t count, ncclDataType_t type, ncclRedOp_t,
                               ncclComm_t comm, cudaStream_t) {
  const size_t bytes = count * BytesOf(type);
  return Post(comm, "ncclReduceScatter", [&](Task& task) {
    for (int peer = 0; peer < comm->size; ++peer) {
      if (peer != comm->rank) task.sends.push_back({peer, Bytes(full) + static_cast<size_t>(peer) * bytes, bytes});
    }
    ReceiveAndFold(task, comm, Bytes(own), Bytes(full) + static_cast<size_t>(comm->rank) * bytes, count, type);
  });
}

ncclResult_t ncclReduce(const void* full, void* sum, size_t count, ncclDataType_t type, ncclRedOp_t, int root,
                        ncclComm_t comm, cudaStream_t) {
  return Post(comm, "ncclReduce", [&](Task& task) {
    if (root != comm->rank) return task.sends.push_back({root, Bytes(full), count * BytesOf(type)});
    ReceiveAndFold(task, comm, Bytes(sum), Bytes(full), count, type);
  });
}

}  // extern "C"
