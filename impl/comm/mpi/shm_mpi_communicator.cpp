#include "impl/comm/mpi/shm_mpi_communicator.hpp"

#include <algorithm>
#include <cstring>

#include "impl/comm/backends.hpp"
#include "impl/comm/direct/shm_communicator.hpp"
#include "impl/comm/hosts.hpp"
#include "impl/comm/mpi/runtime.hpp"
#include "impl/comm/part_fold.hpp"

namespace zerocts::engine {
namespace {

constexpr size_t kSlots = 2;                // of a gateway: one is read while the next chunk comes into the other
constexpr size_t kSent = 0, kReceived = 1;  // rounds of an all-gather's messages: what is sent; chunk k: kReceived + k

int64_t BytesOfWords(int64_t count) { return count * static_cast<int64_t>(sizeof(uint64_t)); }

void Add(uint64_t* sum, const uint64_t* words, int64_t count) {
  for (int64_t i = 0; i < count; ++i) sum[i] += words[i];
}

}  // namespace

ShmMpiCommunicator::ShmMpiCommunicator(const CommunicatorSettings& settings)
    : MpiCommunicator(settings, "shm+mpi"),
      hosts_(settings.ranks_per_host.empty() ? FindHosts() : PretendedHosts(group(), settings.ranks_per_host)),
      here_(JoinThisHost()),
      shared_(std::make_unique<SharedStaging>(*here_)) {}

ShmMpiCommunicator::~ShmMpiCommunicator() {
  if (MpiIsBroken()) shared_->Abandon();  // a message may still use it
}

Hosts ShmMpiCommunicator::FindHosts() {
  std::vector<HostIdentity> of_rank(static_cast<size_t>(world_size()), IdentityOfThisHost());
  Exchange(of_rank.data(), sizeof(HostIdentity), NextCall("join", "hosts"));
  std::vector<int> first_of;  // ranks of the same host have the same first rank
  for (const HostIdentity& identity : of_rank) {
    first_of.push_back(static_cast<int>(std::ranges::find(of_rank, identity) - of_rank.begin()));
  }
  return HostsByLabel(first_of);
}

/// The ranks of the host find each other by messages, whatever the settings' store can do.
std::unique_ptr<DirectCommunicator> ShmMpiCommunicator::JoinThisHost() {
  CommunicatorSettings settings_here = settings();
  settings_here.group += ", one host";
  settings_here.members.clear();
  for (const int peer : RanksHere()) settings_here.members.push_back(group().members[peer]);
  host_ = GroupOf(settings_here);

  const CollectiveCall call = NextCall("join", "ranks of one host");
  settings_here.store.set = [&](const std::string&, const std::string& value) {
    MpiMessages messages = MessagesOf(call);
    for (const int peer : RanksHere()) {
      if (peer != rank()) messages.Send(value.data(), static_cast<int64_t>(value.size()), peer);
    }
    messages.Complete();
  };
  settings_here.store.get = [&](const std::string&, size_t bytes) {
    std::string value(bytes, '\0');
    MpiMessages messages = MessagesOf(call);
    messages.Receive(value.data(), static_cast<int64_t>(bytes), RanksHere().front());
    messages.Complete();
    return value;
  };
  return MakeSharedMemory(settings_here);
}

void ShmMpiCommunicator::Free(void* memory) {
  if (!MpiIsBroken()) here_->Free(memory);  // else a message may still use it
}

EnqueuingCommunicator::Body ShmMpiCommunicator::GatherBody(GatherRequest request, DeviceStream& stream) {
  const int64_t slot_bytes = ChunkBytesFor(LongestPartsNumel(request.cuts, world_size()) * request.element_bytes);
  const auto slots = shared_->Reserve(hosts_.count() > 1 ? static_cast<int64_t>(kSlots) * slot_bytes : 0, stream);
  const auto own = here_->OffsetOf(request.own);
  return [=, this, request = std::move(request)](const CollectiveCall& call) {
    return Gather(request, own, slots, slot_bytes, call);
  };
}

EnqueuingCommunicator::Body ShmMpiCommunicator::ReduceBody(ReduceRequest request, DeviceStream& stream) {
  const ReduceStaging staged = StagingFor(request, world_size() - host_.size(), stream);
  const auto full = here_->OffsetOf(request.full);
  return [=, this, request = std::move(request)](const CollectiveCall& call) {
    return Reduce(request, full, staged, call);
  };
}

EnqueuingCommunicator::Body ShmMpiCommunicator::SumBody(uint64_t* inout, int64_t count, DeviceStream& stream) {
  const auto words = shared_->Reserve(BytesOfWords(count), stream);
  const int64_t other_hosts = host_.rank == 0 ? hosts_.count() - 1 : 0;
  auto* received = reinterpret_cast<uint64_t*>(staging().Reserve(other_hosts * BytesOfWords(count), stream));
  return [=, this](const CollectiveCall& call) { return Sum(inout, count, words, received, call); };
}

std::vector<std::vector<ShmMpiCommunicator::Incoming>> ShmMpiCommunicator::IncomingOfThisHost(
    const Cuts& cuts, int64_t chunk_numel) const {
  const int this_host = hosts_.host_of[rank()];
  std::vector<std::vector<Incoming>> incoming(RanksHere().size());
  for (int owner = 0; owner < world_size(); ++owner) {
    if (hosts_.host_of[owner] == this_host) continue;
    auto& of_gateway = incoming[GatewayOf(hosts_, owner, this_host)];
    for (auto& parts : ChunksOf(cuts, owner, chunk_numel)) of_gateway.push_back({owner, std::move(parts)});
  }
  return incoming;
}

void ShmMpiCommunicator::SendToGateways(const GatherRequest& request, int64_t chunk_numel, MpiMessages& messages,
                                        Moved& moved) const {
  for (int host = 0; host < hosts_.count(); ++host) {
    if (host == hosts_.host_of[rank()]) continue;
    const int gateway = hosts_.ranks[host][GatewayOf(hosts_, rank(), host)];
    for (const auto& parts : ChunksOf(request.cuts, rank(), chunk_numel)) {
      for (const Part& part : parts) {
        const int64_t bytes = part.numel * request.element_bytes;
        messages.Send(request.own + (request.in_place() ? part.begin : part.packed) * request.element_bytes, bytes,
                      gateway, kSent);
        moved.sent_bytes += bytes;
      }
    }
  }
}

/// In each round every gateway has received one chunk, and all ranks of the host copy all of these.
EnqueuingCommunicator::Moved ShmMpiCommunicator::Gather(const GatherRequest& request, const WindowOffset& own,
                                                        const std::vector<std::byte*>& slots, int64_t slot_bytes,
                                                        const CollectiveCall& call) {
  const int64_t element = request.element_bytes;
  const CollectiveCall among_host(call, host_);
  const auto incoming = IncomingOfThisHost(request.cuts, slot_bytes / element);
  size_t rounds = 0;
  for (const auto& of_gateway : incoming) rounds = std::max(rounds, of_gateway.size());
  Moved moved;
  MpiMessages messages = MessagesOf(call);

  const auto receive = [&](size_t round) {
    if (round >= incoming[host_.rank].size()) return;
    const auto& [owner, parts] = incoming[host_.rank][round];
    std::byte* to = slots[host_.rank] + static_cast<int64_t>(round % kSlots) * slot_bytes;
    for (const Part& part : parts) {
      messages.Receive(to, part.numel * element, owner, kReceived + round);
      moved.received_bytes += part.numel * element;
      to += part.numel * element;
    }
  };
  const auto copy = [&](const std::byte* from, const Part& part, int peer, bool counts) {
    const int64_t bytes = part.numel * element;
    std::memcpy(request.full + part.begin * element, from, static_cast<size_t>(bytes));
    if (!counts) return;
    moved.received_bytes += bytes;
    here_->CountRead(peer, bytes);
  };

  ArriveAndWait(call);  // every rank has come; who does not is named
  const auto published = here_->Publish(own, request.in_place(), among_host);
  SendToGateways(request, slot_bytes / element, messages, moved);
  receive(0);
  for (int peer = 0; peer < host_.size(); ++peer) {
    if (peer == host_.rank && request.in_place()) continue;
    for (const Part& part : PartsOf(request.cuts, RanksHere()[peer])) {
      copy(published[peer].memory + (published[peer].in_place ? part.begin : part.packed) * element, part, peer,
           peer != host_.rank);
    }
  }
  for (size_t round = 0; round < rounds; ++round) {
    messages.Complete(kReceived + round);
    // Every gateway has its chunk, and nobody reads that of the round before any more. Other hosts may wait for what
    // this rank sends.
    here_->ArriveAndWait(among_host, [&] { messages.Progress(); });
    receive(round + 1);
    for (int gateway = 0; gateway < host_.size(); ++gateway) {
      if (round >= incoming[gateway].size()) continue;
      const std::byte* from = slots[gateway] + static_cast<int64_t>(round % kSlots) * slot_bytes;
      for (const Part& part : incoming[gateway][round].parts) {
        copy(from, part, gateway, gateway != host_.rank);
        from += part.numel * element;
      }
    }
  }
  messages.Complete(kSent);
  here_->ArriveAndWait(among_host);  // every copy is made: parts and slots may change again
  moved.sent_bytes += here_->BytesReadByPeers();
  return moved;
}

EnqueuingCommunicator::Moved ShmMpiCommunicator::Reduce(const ReduceRequest& request, const WindowOffset& full,
                                                        const ReduceStaging& staged, const CollectiveCall& call) {
  const CollectiveCall among_host(call, host_);
  ArriveAndWait(call);
  const auto published = here_->Publish(full, true, among_host);
  InReach in_reach(static_cast<size_t>(world_size()));
  for (int peer = 0; peer < host_.size(); ++peer) in_reach[RanksHere()[peer]] = published[peer].memory;
  Moved moved = MpiCommunicator::Reduce(request, in_reach, staged, call);
  const int64_t bytes = PartsNumel(request.cuts, rank()) * BytesOf(request.wire);
  for (int peer = 0; peer < host_.size(); ++peer) {
    if (peer == host_.rank) continue;
    moved.received_bytes += bytes;
    here_->CountRead(peer, bytes);
  }
  here_->ArriveAndWait(among_host);  // every part is folded: contributions may change again
  moved.sent_bytes += here_->BytesReadByPeers();
  return moved;
}

EnqueuingCommunicator::Moved ShmMpiCommunicator::Sum(uint64_t* inout, int64_t count,
                                                     const std::vector<std::byte*>& words, uint64_t* received,
                                                     const CollectiveCall& call) {
  const CollectiveCall among_host(call, host_);
  const auto of = [&](int peer) { return reinterpret_cast<uint64_t*>(words[peer]); };
  Moved moved;
  const auto read = [&](int peer) {
    moved.received_bytes += BytesOfWords(count);
    here_->CountRead(peer, BytesOfWords(count));
    return of(peer);
  };

  std::copy_n(inout, count, of(host_.rank));
  ArriveAndWait(call);
  here_->ArriveAndWait(among_host);  // the words of this host are there
  if (host_.rank == 0) {
    for (int peer = 1; peer < host_.size(); ++peer) Add(of(0), read(peer), count);
    AddOtherHosts(of(0), count, received, call, moved);
  }
  here_->ArriveAndWait(among_host);  // the sum is there
  std::copy_n(host_.rank == 0 ? of(0) : read(0), count, inout);
  here_->ArriveAndWait(among_host);  // it is read: words may change again
  moved.sent_bytes += here_->BytesReadByPeers();
  return moved;
}

/// Between the first ranks of the hosts. `received` has room for one sum of each other host.
void ShmMpiCommunicator::AddOtherHosts(uint64_t* sum, int64_t count, uint64_t* received, const CollectiveCall& call,
                                       Moved& moved) const {
  MpiMessages messages = MessagesOf(call);
  const int64_t bytes = BytesOfWords(count);
  const auto for_each_other_host = [&](const auto& visit) {
    int64_t index = 0;
    for (int host = 0; host < hosts_.count(); ++host) {
      if (host != hosts_.host_of[rank()]) visit(hosts_.ranks[host].front(), received + index++ * count);
    }
  };
  for_each_other_host([&](int first, uint64_t* theirs) {
    messages.Receive(theirs, bytes, first);
    messages.Send(sum, bytes, first);
    moved.received_bytes += bytes;
    moved.sent_bytes += bytes;
  });
  messages.Complete();
  for_each_other_host([&](int, const uint64_t* theirs) { Add(sum, theirs, count); });
}

std::unique_ptr<Communicator> MakeShmMpiCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<ShmMpiCommunicator>(settings);
}

}  // namespace zerocts::engine
