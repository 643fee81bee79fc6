#include "impl/comm/direct/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/comm/direct/copy_past_caches.hpp"
#include "impl/comm/huge_pages.hpp"
#include "impl/comm/part_fold.hpp"
#include "impl/comm/parts.hpp"

namespace zerocts::engine {
namespace {

/// Whether a collective over a buffer of `bytes` moves more than the caches of one core hold.
bool PastCaches(int64_t bytes) { return bytes >= int64_t{4} << 20; }

int64_t Extent(const Cuts& cuts) { return cuts.empty() ? 0 : cuts.back().back() - cuts.front().front(); }

}  // namespace

DirectCommunicator::DirectCommunicator(std::string name, const CommunicatorSettings& settings)
    : EnqueuingCommunicator(std::move(name), settings) {}

void DirectCommunicator::Join(std::shared_ptr<SharedBlock> block) {
  block_ = std::move(block);
  barrier_ = std::make_unique<SharedBarrier>(*block_, rank(), world_size());
  const std::string backend = name();
  ArriveAndWait(NextCall("join", backend.c_str()));
}

void* DirectCommunicator::Allocate(int64_t bytes, MemoryKind kind) {
  const std::string backend = name();
  const CollectiveCall call = NextCall("allocate", backend.c_str());
  std::vector<std::byte*> of_rank = Map(bytes, kind, [&] { ArriveAndWait(call); });
  std::byte* own = of_rank[rank()];
  const bool host_memory = settings().device->host_can_reach();
  if (host_memory) AdviseHugePages(own, bytes);
  settings().device->Poison(own, bytes);
  if (host_memory) JoinIntoHugePages(own, bytes);
  windows_.push_back(std::make_shared<Window>(Window{++allocations_, bytes, std::move(of_rank)}));
  return own;
}

void DirectCommunicator::Free(void* memory) {
  const WindowOffset at = OffsetOf(memory);
  Unmap(at.window->of_rank[rank()]);
  std::erase(windows_, at.window);
}

DirectCommunicator::WindowOffset DirectCommunicator::OffsetOf(const void* memory) const {
  const auto find = [&](int64_t beyond_the_end) -> WindowOffset {
    for (const auto& window : windows_) {
      const std::byte* own = window->of_rank[rank()];
      const std::less<> before;
      if (!before(memory, own) && before(memory, own + window->bytes + beyond_the_end)) {
        return {window, static_cast<const std::byte*>(memory) - own};
      }
    }
    return {};
  };
  WindowOffset at = find(0);
  if (!at.window) at = find(1);  // an empty part may stand at the end
  if (!at.window) throw std::logic_error("a collective was given memory that is not from Communicator::Allocate");
  return at;
}

void DirectCommunicator::Publish(const WindowOffset& at, bool in_place) {
  block().slot(rank()).published = {at.window->number, at.offset, in_place ? 1u : 0u};
}

const std::byte* DirectCommunicator::PublishedBy(int peer, const WindowOffset& mine, const CollectiveCall& call) {
  const PublishedOffset& theirs = block().slot(peer).published;
  if (theirs.window != mine.window->number) {
    throw std::runtime_error(fmt::format(
        "{}: rank {} gave memory of allocation {}, rank {} of allocation {}; expected the same call on every rank",
        call.name(), group().members[peer], theirs.window, group().members[rank()], mine.window->number));
  }
  return mine.window->of_rank[peer] + theirs.offset;
}

std::vector<DirectCommunicator::Published> DirectCommunicator::Publish(const WindowOffset& own, bool in_place,
                                                                       const CollectiveCall& call) {
  Publish(own, in_place);
  ArriveAndWait(call);
  return AllPublished(own, call);
}

std::vector<DirectCommunicator::Published> DirectCommunicator::AllPublished(const WindowOffset& own,
                                                                            const CollectiveCall& call) {
  std::vector<Published> published;
  for (int peer = 0; peer < world_size(); ++peer) {
    published.push_back({PublishedBy(peer, own, call), block().slot(peer).published.in_place != 0});
  }
  return published;
}

EnqueuingCommunicator::Body DirectCommunicator::GatherBody(GatherRequest request, DeviceStream& stream) {
  const auto own = OffsetOf(request.own);
  return [this, &stream, own, request = std::move(request)](const CollectiveCall& call) {
    return Gather(stream.ops_of_work(), request, own, call);
  };
}

EnqueuingCommunicator::Moved DirectCommunicator::Gather(Ops& ops, const GatherRequest& request, const WindowOffset& own,
                                                        const CollectiveCall& call) {
  const int64_t element = request.element_bytes;
  const bool past_caches = settings().device->host_can_reach() && PastCaches(Extent(request.cuts) * element);
  const auto copy = [&](const std::byte* from, const Part& part, bool in_place) {
    std::byte* to = request.full + part.begin * element;
    from += (in_place ? part.begin : part.packed) * element;
    const int64_t bytes = part.numel * element;
    past_caches ? CopyPastCaches(to, from, bytes) : ops.Copy(to, from, bytes);
  };

  Publish(own, request.in_place());
  if (!request.in_place()) {
    for (const Part& part : PartsOf(request.cuts, rank())) copy(request.own, part, false);
  }
  ArriveAndWait(call);  // every rank's own parts are written
  const std::vector<Published> published = AllPublished(own, call);
  Moved moved;
  ForEachPeer([&](int peer) {
    int64_t bytes = 0;
    for (const Part& part : PartsOf(request.cuts, peer)) {
      copy(published[peer].memory, part, published[peer].in_place);
      bytes += part.numel * element;
    }
    moved.received_bytes += bytes;
    block().slot(peer).read_by_peers += bytes;
  });
  ArriveAndWait(call);  // every copy is made: parts may change again
  moved.sent_bytes = BytesReadByPeers();
  return moved;
}

EnqueuingCommunicator::Body DirectCommunicator::ReduceBody(ReduceRequest request, DeviceStream& stream) {
  const int64_t longest = PartsNumel(request.cuts, rank());
  const int64_t bytes = PartFold::ScratchBytes(*settings().device, request.wire, world_size(), longest);
  std::byte* scratch = staging().Reserve(bytes, stream);
  const auto full = OffsetOf(request.full);
  return [this, &stream, scratch, full, request = std::move(request)](const CollectiveCall& call) {
    return Reduce(stream.ops_of_work(), request, full, scratch, call);
  };
}

EnqueuingCommunicator::Moved DirectCommunicator::Reduce(Ops& ops, const ReduceRequest& request,
                                                        const WindowOffset& full, std::byte* scratch,
                                                        const CollectiveCall& call) {
  const int64_t element = BytesOf(request.wire);
  PartFold fold(ops, *settings().device, request.reduction, request.wire, world_size(), scratch);

  Publish(full, true);
  ArriveAndWait(call);  // every contribution is written
  std::vector<const std::byte*> contributions(static_cast<size_t>(world_size()), request.full);
  ForEachPeer([&](int peer) { contributions[peer] = PublishedBy(peer, full, call); });
  Moved moved;
  for (const Part& part : PartsOf(request.cuts, rank())) {
    std::vector<const std::byte*> leaves;
    for (const std::byte* contribution : contributions) leaves.push_back(contribution + part.begin * element);
    fold(request.out + (request.in_place() ? part.begin : part.packed), leaves, part.numel);
    ForEachPeer([&](int peer) {
      moved.received_bytes += part.numel * element;
      block().slot(peer).read_by_peers += part.numel * element;
    });
  }
  ArriveAndWait(call);  // every part is folded: contributions may change again
  moved.sent_bytes = BytesReadByPeers();
  return moved;
}

EnqueuingCommunicator::Body DirectCommunicator::SumBody(uint64_t* inout, int64_t count, DeviceStream&) {
  return [=, this](const CollectiveCall& call) { return Sum(inout, count, call); };
}

EnqueuingCommunicator::Moved DirectCommunicator::Sum(uint64_t* inout, int64_t count, const CollectiveCall& call) {
  Moved moved;
  for (int64_t begin = 0; begin < count; begin += kExchangeWords) {
    const int64_t words = std::min(kExchangeWords, count - begin);
    const uint64_t turn = exchanges_++ % 2;
    std::copy_n(inout + begin, words, block().slot(rank()).words[turn]);
    ArriveAndWait(call);  // one barrier is enough: these words are not written again before the next one, which nobody
                          // leaves before all have read
    ForEachPeer([&](int peer) {
      const uint64_t* theirs = block().slot(peer).words[turn];
      for (int64_t i = 0; i < words; ++i) inout[begin + i] += theirs[i];
      moved.received_bytes += words * static_cast<int64_t>(sizeof(uint64_t));
    });
  }
  moved.sent_bytes = moved.received_bytes;  // the peers read what this rank put there, after it may have left
  return moved;
}

}  // namespace zerocts::engine
