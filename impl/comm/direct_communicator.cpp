#include "impl/comm/direct_communicator.hpp"

#include <algorithm>
#include <stdexcept>

#include "impl/comm/ordered_fold.hpp"

namespace zerocts {

DirectCommunicator::DirectCommunicator(std::string name, const CommunicatorSettings& settings)
    : name_(std::move(name)), settings_(settings) {}

void DirectCommunicator::Join(std::shared_ptr<SharedBlock> block) {
  block_ = std::move(block);
  meeting_ = std::make_unique<Meeting>(*block_, rank(), world_size());
  meeting_->Meet(CollectiveCall(settings_, ++calls_, "join", name_.c_str()));
}

void* DirectCommunicator::Allocate(int64_t bytes, MemoryKind kind) {
  const CollectiveCall call(settings_, ++calls_, "allocate", name_.c_str());
  windows_.push_back(Map(bytes, kind, [&] { meeting_->Meet(call); }));
  return windows_.back().of_rank[rank()];
}

void DirectCommunicator::Free(void* memory) {
  const Window& window = WindowOf(memory);
  Unmap(window);
  windows_.erase(windows_.begin() + (&window - windows_.data()));
}

const Window& DirectCommunicator::WindowOf(const void* memory) const {
  for (const Window& window : windows_) {
    if (window.of_rank[rank()] == memory) return window;
  }
  throw std::logic_error("a collective was given memory that is not from Communicator::Allocate");
}

void DirectCommunicator::AllGather(void* buffer, const std::vector<int64_t>& offsets_bytes, const char* what) {
  CheckOffsets(offsets_bytes, world_size());
  const Window& window = WindowOf(buffer);
  const CollectiveCall call(settings_, ++calls_, "all_gather", what);

  meeting_->Meet(call);  // every rank's own piece is written
  for (int hop = 1; hop < world_size(); ++hop) {
    const int peer =
        (rank() + hop) % world_size();  // each rank starts elsewhere, so that they do not all read the same memory
    const int64_t begin = offsets_bytes[peer];
    const int64_t end = offsets_bytes[peer + 1];
    std::copy(window.of_rank[peer] + begin, window.of_rank[peer] + end, window.of_rank[rank()] + begin);
  }
  meeting_->Meet(call);  // every copy is made: pieces may change again
}

void DirectCommunicator::ReduceScatter(float* out, float* full, const std::vector<int64_t>& offsets, const Fold& fold,
                                       float divisor, DeviceStream& stream, const char* what) {
  CheckOffsets(offsets, world_size());
  const Window& window = WindowOf(full);
  const CollectiveCall call(settings_, ++calls_, "reduce_scatter", what);

  std::vector<const float*> my_piece_of;
  for (std::byte* contribution : window.of_rank)
    my_piece_of.push_back(reinterpret_cast<const float*>(contribution) + offsets[rank()]);

  meeting_->Meet(call);  // every contribution is written
  FoldPiece(out, fold, my_piece_of, divisor, offsets[rank() + 1] - offsets[rank()], stream);
  meeting_->Meet(call);  // every piece is folded: contributions may change again
}

void DirectCommunicator::AllReduceSum(uint64_t* inout, int64_t count, const char* what) {
  const CollectiveCall call(settings_, ++calls_, "all_reduce", what);
  for (int64_t begin = 0; begin < count; begin += kExchangeWords) {
    const int64_t words = std::min(kExchangeWords, count - begin);
    const uint64_t turn = exchanges_++ % 2;
    std::copy_n(inout + begin, words, block().slot(rank()).words[turn]);
    meeting_->Meet(call);  // one meeting is enough: these words are not written again before the next one, which nobody
                           // leaves before all have read
    std::fill_n(inout + begin, words, 0);
    for (int peer = 0; peer < world_size(); ++peer) {
      const uint64_t* theirs = block().slot(peer).words[turn];
      for (int64_t i = 0; i < words; ++i) inout[begin + i] += theirs[i];
    }
  }
}

void DirectCommunicator::Barrier(const char* what) {
  meeting_->Meet(CollectiveCall(settings_, ++calls_, "barrier", what));
}

}  // namespace zerocts
