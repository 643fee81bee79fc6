#include "impl/comm/mpi/communicator.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/comm/huge_pages.hpp"
#include "impl/comm/mpi/runtime.hpp"
#include "impl/comm/part_fold.hpp"

namespace zerocts::engine {
namespace {

constexpr size_t kRoundsAhead = 2;  // chunks whose messages are under way, the one that is awaited included

/// Starts MPI and throws unless this process is the rank that is asked for.
const CommunicatorSettings& WithMpi(const CommunicatorSettings& settings, const std::string& name) {
  if (settings.ranks_share_process && settings.world_size > 1) {
    throw std::invalid_argument("comm " + name +
                                ": ranks are threads of one process; expected one process per rank, or comm threads");
  }
  if (MpiIsBroken()) {
    throw std::runtime_error(
        "comm " + name +
        ": an earlier wait of this process ran out and its messages may still come; start the ranks again");
  }
  settings.progress("MPI_Init", "mpi");
  const auto [rank, world_size] = FindRankInMpi();
  if (rank != settings.rank || world_size != settings.world_size) {
    throw std::invalid_argument(
        fmt::format("comm {}: this process is rank {} of {} in MPI_COMM_WORLD, but rank {} of {} was asked; "
                    "start the ranks with one mpirun -n {}, or choose comm shm",
                    name, rank, world_size, settings.rank, settings.world_size, settings.world_size));
  }
  return settings;
}

/// Ranks that were together in all groups of this name: they have counted them alike.
std::string NameWithMembers(const Group& group) {
  return fmt::format("{} ({})", group.name, fmt::join(group.members, ","));
}

/// At least one message from each rank to each other, so that ranks meet even when nobody owns anything.
std::vector<Part> WithOne(std::vector<Part> parts) {
  if (parts.empty()) parts.push_back({});
  return parts;
}

}  // namespace

MpiCommunicator::MpiCommunicator(const CommunicatorSettings& settings, const std::string& name)
    : EnqueuingCommunicator(name, WithMpi(settings, name)), tags_(NameWithMembers(group())) {
  MpiCommunicator::ArriveAndWait(NextCall("join", name.c_str()));
}

MpiCommunicator::~MpiCommunicator() {
  if (MpiIsBroken()) staging().Abandon();  // a message may still use it
}

void* MpiCommunicator::Allocate(int64_t bytes, MemoryKind kind) {
  void* memory = settings().device->Allocate(bytes, kind);
  AdviseHugePages(memory, bytes);
  std::memset(memory, 0xff, static_cast<size_t>(bytes));  // NaN in every dtype
  JoinIntoHugePages(memory, bytes);                       // its allocator may have written to it, too
  return memory;
}

void MpiCommunicator::Free(void* memory) {
  if (!MpiIsBroken()) settings().device->Free(memory);  // else a message may still use it
}

EnqueuingCommunicator::Body MpiCommunicator::GatherBody(GatherRequest request, DeviceStream&) {
  return [this, request = std::move(request)](const CollectiveCall& call) { return Gather(request, call); };
}

EnqueuingCommunicator::Body MpiCommunicator::ReduceBody(ReduceRequest request, DeviceStream& stream) {
  const ReduceStaging staged = StagingFor(request, world_size() - 1, stream);
  return [=, this, request = std::move(request)](const CollectiveCall& call) {
    InReach own_alone(static_cast<size_t>(world_size()));
    own_alone[rank()] = request.full;
    return Reduce(request, own_alone, staged, call);
  };
}

MpiCommunicator::ReduceStaging MpiCommunicator::StagingFor(const ReduceRequest& request, int far,
                                                           DeviceStream& stream) {
  const int64_t longest = LongestPartsNumel(request.cuts, world_size());
  const int64_t slot_bytes = ChunkBytesFor(longest * BytesOf(request.wire));
  const int64_t slots = static_cast<int64_t>(kRoundsAhead) * far * slot_bytes;
  std::byte* memory = staging().Reserve(
      slots + PartFold::ScratchBytes(*settings().device, request.wire, world_size(), longest), stream);
  return {memory, slot_bytes, memory + slots};
}

EnqueuingCommunicator::Body MpiCommunicator::SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) {
  const int64_t bytes = count * static_cast<int64_t>(sizeof(uint64_t));
  auto* words = reinterpret_cast<uint64_t*>(staging().Reserve(world_size() * bytes, stream));
  return [=, this](const CollectiveCall& call) { return Sum(inout, count, words, call); };
}

void MpiCommunicator::ArriveAndWait(const CollectiveCall& call) { Exchange(nullptr, 0, call); }

void MpiCommunicator::Exchange(void* of_rank, int64_t bytes, const CollectiveCall& call) const {
  const auto part_of = [&](int rank) { return static_cast<std::byte*>(of_rank) + rank * bytes; };
  MpiMessages messages = MessagesOf(call);
  ForEachPeer([&](int peer) { messages.Receive(part_of(peer), bytes, peer); });
  ForEachPeer([&](int peer) { messages.Send(part_of(rank()), bytes, peer); });
  messages.Complete();
}

EnqueuingCommunicator::Moved MpiCommunicator::Gather(const GatherRequest& request, const CollectiveCall& call) const {
  const int64_t element = request.element_bytes;
  const std::vector<Part> mine = WithOne(PartsOf(request.cuts, rank()));
  const auto own = [&](const Part& part) {
    return request.own + (request.in_place() ? part.begin : part.packed) * element;
  };
  Moved moved;
  MpiMessages messages = MessagesOf(call);
  ForEachPeer([&](int peer) {
    for (const Part& part : WithOne(PartsOf(request.cuts, peer))) {
      messages.Receive(request.full + part.begin * element, part.numel * element, peer);
      moved.received_bytes += part.numel * element;
    }
  });
  ForEachPeer([&](int peer) {
    for (const Part& part : mine) {
      messages.Send(own(part), part.numel * element, peer);
      moved.sent_bytes += part.numel * element;
    }
  });
  if (!request.in_place()) {
    for (const Part& part : PartsOf(request.cuts, rank())) {
      std::memcpy(request.full + part.begin * element, own(part), static_cast<size_t>(part.numel * element));
    }
  }
  messages.Complete();
  return moved;
}

/// Every part in chunks. In round k each rank receives far peers' contributions to its chunk k; the messages of the
/// next round are under way while it folds.
EnqueuingCommunicator::Moved MpiCommunicator::Reduce(const ReduceRequest& request, const InReach& in_reach,
                                                     const ReduceStaging& staging, const CollectiveCall& call) const {
  const int64_t element = BytesOf(request.wire);
  std::vector<std::vector<Part>> chunks;  // of each rank
  size_t rounds = 0;
  for (int owner = 0; owner < world_size(); ++owner) {
    chunks.push_back(WithOne(PartsOf(request.cuts, owner, kChunkBytes / element)));
    rounds = std::max(rounds, chunks.back().size());
  }
  const std::vector<Part>& mine = chunks[rank()];
  std::vector<int> far;
  ForEachPeer([&](int peer) {
    if (!in_reach[peer]) far.push_back(peer);
  });
  const auto slot = [&](size_t round, size_t index) {
    return staging.slots + static_cast<int64_t>(round % kRoundsAhead * far.size() + index) * staging.slot_bytes;
  };
  PartFold fold(HostOps(), *settings().device, request.reduction, request.wire, world_size(), staging.scratch);
  Moved moved;
  MpiMessages messages = MessagesOf(call);

  const auto post = [&](size_t round) {
    for (size_t i = 0; i < far.size() && round < mine.size(); ++i) {
      messages.Receive(slot(round, i), mine[round].numel * element, far[i], round);
      moved.received_bytes += mine[round].numel * element;
    }
    for (const int peer : far) {
      if (round >= chunks[peer].size()) continue;
      const Part& part = chunks[peer][round];
      messages.Send(request.full + part.begin * element, part.numel * element, peer, round);
      moved.sent_bytes += part.numel * element;
    }
  };
  for (size_t round = 0; round < std::min(kRoundsAhead, rounds); ++round) post(round);
  for (size_t round = 0; round < rounds; ++round) {
    messages.Complete(round);
    if (round < mine.size() && mine[round].numel > 0) {
      const Part& part = mine[round];
      std::vector<const std::byte*> leaves;
      for (const std::byte* full : in_reach) leaves.push_back(full ? full + part.begin * element : nullptr);
      for (size_t i = 0; i < far.size(); ++i) leaves[far[i]] = slot(round, i);
      fold(request.out + (request.in_place() ? part.begin : part.packed), leaves, part.numel);
    }
    if (round + kRoundsAhead < rounds) post(round + kRoundsAhead);  // into the slots that are free now
  }
  return moved;
}

EnqueuingCommunicator::Moved MpiCommunicator::Sum(uint64_t* inout, int64_t count, uint64_t* words,
                                                  const CollectiveCall& call) const {
  const int64_t bytes = count * static_cast<int64_t>(sizeof(uint64_t));
  Moved moved;
  std::copy_n(inout, count, words + rank() * count);
  Exchange(words, bytes, call);
  ForEachPeer([&](int peer) {
    moved.received_bytes += bytes;
    moved.sent_bytes += bytes;
    for (int64_t i = 0; i < count; ++i) inout[i] += words[peer * count + i];
  });
  return moved;
}

std::unique_ptr<Communicator> MakeMpiCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<MpiCommunicator>(settings);
}

}  // namespace zerocts::engine
