#include "impl/comm/nccl/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/comm/nccl/environment.hpp"
#include "impl/comm/part_fold.hpp"
#include "impl/comm/parts.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kLargestSlot = int64_t{1} << 20;  // of one peer's contribution that is received at once
constexpr int64_t kSlotLine = 256;                  // a chunk begins with one

/// Throws unless NCCL can do what is asked, before ranks wait for each other.
const CommunicatorSettings& WithNccl(const CommunicatorSettings& settings) {
  if (settings.nccl_shares_gpu) {
    if (settings.ranks_share_process && settings.world_size > 1) {
      throw std::invalid_argument(
          "comm nccl, nccl_share_gpu=on: ranks are threads of one process; expected one process per rank, or comm "
          "threads");
    }
    LetNcclRanksShareAGpu(settings.rank);
  }
  NcclLibrary::OfThisProcess();
  return settings;
}

}  // namespace

bool HasEqualParts(const std::vector<int64_t>& cut) {
  const int64_t numel = cut[1] - cut[0];
  for (size_t rank = 1; rank + 1 < cut.size(); ++rank) {
    if (cut[rank + 1] - cut[rank] != numel) return false;
  }
  return numel > 0;
}

NcclCommunicator::NcclCommunicator(const CommunicatorSettings& settings, const std::string& name,
                                   NcclCommunicator* parent)
    : EnqueuingCommunicator(name, WithNccl(settings)),
      own_stream_(settings.device->MakeStream(StreamRole::kCommunication)),
      tokens_(static_cast<std::byte*>(settings.device->Allocate(world_size(), MemoryKind::kBuffer))) {
  try {
    const CollectiveCall join = NextCall("join", name.c_str());
    AtOnce([&](DeviceStream&) {
      connection_ = parent ? std::make_unique<NcclConnection>(this->settings(), group(), join, parent->connection(),
                                                              parent->NextCall("split", name.c_str()))
                           : std::make_unique<NcclConnection>(this->settings(), group(), join);
    });
    if (rank() == 0)
      settings.log(fmt::format("comm {}: {}, {} ranks", name, connection_->library().name(), world_size()));
  } catch (...) {
    settings.device->Free(tokens_);
    throw;
  }
}

NcclCommunicator::~NcclCommunicator() {
  if (!connection_->memory_is_free()) staging().Abandon();
  Free(tokens_);
}

void NcclCommunicator::AtOnce(const std::function<void(DeviceStream&)>& work) {
  own_stream_->Run([&] { work(*own_stream_); });
  own_stream_->Synchronize();
}

void* NcclCommunicator::Allocate(int64_t bytes, MemoryKind kind) {
  void* memory = settings().device->Allocate(bytes, kind);
  settings().device->Poison(memory, bytes);
  if (!settings().nccl_registers) return memory;
  try {
    AtOnce([&](DeviceStream&) { connection_->Register(memory, bytes); });
  } catch (...) {
    settings().device->Free(memory);
    throw;
  }
  return memory;
}

void NcclCommunicator::Free(void* memory) {
  if (connection_->IsRegistered(memory)) AtOnce([&](DeviceStream&) { connection_->Deregister(memory); });
  if (connection_->memory_is_free()) settings().device->Free(memory);
}

EnqueuingCommunicator::Body NcclCommunicator::GatherBody(GatherRequest request, DeviceStream& stream) {
  return [this, &stream, request = std::move(request)](const CollectiveCall& call) {
    return Gather(request, stream, call);
  };
}

EnqueuingCommunicator::Body NcclCommunicator::ReduceBody(ReduceRequest request, DeviceStream& stream) {
  const int64_t longest = LongestPartsNumel(request.cuts, world_size());
  const int64_t slot_bytes = std::min(kLargestSlot, RoundedUp(longest * BytesOf(request.wire), kSlotLine));
  const int64_t scratch = PartFold::ScratchBytes(*settings().device, request.wire, world_size(), longest);
  std::byte* staged = staging().Reserve((world_size() - 1) * slot_bytes + scratch, stream);
  return [=, this, &stream, request = std::move(request)](const CollectiveCall& call) {
    return Reduce(request, staged, slot_bytes, stream, call);
  };
}

EnqueuingCommunicator::Body NcclCommunicator::SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) {
  const int64_t bytes = count * static_cast<int64_t>(sizeof(uint64_t));
  auto* words = reinterpret_cast<uint64_t*>(staging().Reserve(world_size() * bytes, stream));
  return [=, this, &stream](const CollectiveCall& call) { return Sum(inout, count, words, stream, call); };
}

void NcclCommunicator::ArriveAndWait(const CollectiveCall& call) {
  AtOnce([&](DeviceStream& stream) {
    connection_->Perform(call, stream, [&](auto& post) { post.AllGather(tokens_, tokens_ + rank(), 1); });
  });
}

EnqueuingCommunicator::Moved NcclCommunicator::Gather(const GatherRequest& request, DeviceStream& stream,
                                                      const CollectiveCall& call) {
  const int64_t element = request.element_bytes;
  Moved moved;
  connection_->Perform(call, stream, [&](auto& post) {
    int64_t packed = 0;
    for (const std::vector<int64_t>& cut : request.cuts) {
      const int64_t bytes = (cut[rank() + 1] - cut[rank()]) * element;
      const std::byte* own = request.own + (request.in_place() ? cut[rank()] * element : packed);
      packed += bytes;
      ForEachPeer([&](int peer) {
        const int64_t theirs = (cut[peer + 1] - cut[peer]) * element;
        if (!HasEqualParts(cut)) {
          if (theirs > 0) post.Receive(request.full + cut[peer] * element, theirs, peer);
          if (bytes > 0) post.Send(own, bytes, peer);
        }
        moved.received_bytes += theirs;
        moved.sent_bytes += bytes;
      });
      if (HasEqualParts(cut)) post.AllGather(request.full + cut.front() * element, own, bytes);
    }
  });
  if (!request.in_place()) {
    for (const Part& part : PartsOf(request.cuts, rank())) {
      stream.ops_of_work().Copy(request.full + part.begin * element, request.own + part.packed * element,
                                part.numel * element);
    }
  }
  return moved;
}

/// Every part in chunks: in round k each rank receives all peers' contributions to its chunk k, and folds them.
EnqueuingCommunicator::Moved NcclCommunicator::Reduce(const ReduceRequest& request, std::byte* staged,
                                                      int64_t slot_bytes, DeviceStream& stream,
                                                      const CollectiveCall& call) {
  const int64_t element = BytesOf(request.wire);
  std::vector<std::vector<Part>> chunks;  // of each rank
  size_t rounds = 1;                      // ranks enter the call also where there is nothing to do
  for (int owner = 0; owner < world_size(); ++owner) {
    chunks.push_back(PartsOf(request.cuts, owner, kLargestSlot / element));
    rounds = std::max(rounds, chunks.back().size());
  }
  const std::vector<Part>& mine = chunks[rank()];
  const auto slot = [&](int peer) { return staged + (peer < rank() ? peer : peer - 1) * slot_bytes; };
  PartFold fold(stream.ops_of_work(), *settings().device, request.reduction, request.wire, world_size(),
                staged + (world_size() - 1) * slot_bytes);
  Moved moved;
  for (size_t round = 0; round < rounds; ++round) {
    connection_->Perform(call, stream, [&](auto& post) {
      ForEachPeer([&](int peer) {
        if (round < mine.size()) {
          post.Receive(slot(peer), mine[round].numel * element, peer);
          moved.received_bytes += mine[round].numel * element;
        }
        if (round < chunks[peer].size()) {
          const Part& part = chunks[peer][round];
          post.Send(request.full + part.begin * element, part.numel * element, peer);
          moved.sent_bytes += part.numel * element;
        }
      });
    });
    if (round >= mine.size()) continue;
    const Part& part = mine[round];
    std::vector<const std::byte*> leaves(static_cast<size_t>(world_size()), request.full + part.begin * element);
    ForEachPeer([&](int peer) { leaves[peer] = slot(peer); });
    fold(request.out + (request.in_place() ? part.begin : part.packed), leaves, part.numel);
  }
  return moved;
}

/// The words are gathered and added by the host: of a sum by NCCL nobody knows how many bytes it moves.
EnqueuingCommunicator::Moved NcclCommunicator::Sum(uint64_t* inout, int64_t count, uint64_t* words,
                                                   DeviceStream& stream, const CollectiveCall& call) {
  const int64_t bytes = count * static_cast<int64_t>(sizeof(uint64_t));
  std::vector<uint64_t> of_ranks(static_cast<size_t>(world_size() * count));
  if (count > 0) stream.ops_of_work().Copy(words + rank() * count, inout, bytes);
  connection_->Perform(call, stream, [&](auto& post) {
    if (count > 0) post.AllGather(words, words + rank() * count, bytes);
  });
  if (count > 0) stream.ops_of_work().Copy(of_ranks.data(), words, world_size() * bytes);
  ForEachPeer([&](int peer) {
    for (int64_t i = 0; i < count; ++i) inout[i] += of_ranks[peer * count + i];
  });
  return {bytes * (world_size() - 1), bytes * (world_size() - 1)};
}

std::unique_ptr<Communicator> MakeNcclCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<NcclCommunicator>(settings);
}

/// Groups of more than one rank are cut out of one communicator of the world, which then is not needed any more.
std::vector<std::unique_ptr<Communicator>> MakeNcclGroups(const std::vector<CommunicatorSettings>& groups) {
  CommunicatorSettings world = groups.front();
  world.group = "mesh";
  world.members.clear();
  NcclCommunicator parent(world);
  std::vector<std::unique_ptr<Communicator>> made;
  for (const CommunicatorSettings& settings : groups) {
    made.push_back(std::make_unique<NcclCommunicator>(settings, "nccl", &parent));
  }
  return made;
}

bool HasNccl() { return true; }

}  // namespace zerocts::engine
