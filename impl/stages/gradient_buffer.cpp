#include "impl/stages/gradient_buffer.hpp"

namespace zerocts {
namespace {

constexpr int64_t kFloatBytes = sizeof(float);

}  // namespace

GradientBuffer::GradientBuffer(Communicator& comm, DeviceStream& stream, const Layout& layout, MemoryLedger& ledger)
    : comm_(comm),
      stream_(stream),
      layout_(layout),
      buffer_(Buffer::OfCommunicator(comm, layout.padded_numel * kFloatBytes, MemoryKind::kGradient, ledger)) {}

void GradientBuffer::Accumulate(int micro_batch, int p, int64_t begin, const float* values, int64_t count) {
  float* sum = parameter(p) + begin;
  if (micro_batch == 0) {
    stream_.ops().Copy(sum, values, count * kFloatBytes);
  } else {
    stream_.ops().Add(sum, values, count);
  }
}

void GradientBuffer::ReduceScatter(const std::string& order, float divisor) {
  const int rank = comm_.rank();
  const int world_size = comm_.world_size();
  const Fold fold = order == "ring" ? RingFold(world_size, 1, rank) : RankFold(world_size, 1);
  stream_.Synchronize();
  comm_.ReduceScatter(data() + layout_.shard_begin[rank], data(), layout_.shard_begin, fold, divisor, stream_,
                      "gradients");
}

void GradientBuffer::AllGather() {
  std::vector<int64_t> offsets_bytes;
  for (int64_t begin : layout_.shard_begin) offsets_bytes.push_back(begin * kFloatBytes);
  comm_.AllGather(data(), offsets_bytes, "gradients");
}

}  // namespace zerocts
