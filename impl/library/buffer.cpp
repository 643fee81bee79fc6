#include <zerocts/library/buffer.hpp>

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "impl/layout/plans.hpp"
#include "impl/library/inner_settings.hpp"
#include "impl/library/storage.hpp"

namespace zerocts::library {
namespace {

engine::Layout PaddedLayout(const std::vector<int64_t>& numel, int shards, int64_t alignment) {
  if (numel.empty()) throw std::invalid_argument("a buffer of no tensors: expected at least one");
  engine::PlanRequest request;
  request.plan = "padded";
  request.shards = shards;
  request.alignment = alignment;
  for (size_t t = 0; t < numel.size(); ++t) request.parameters.push_back({fmt::format("tensor {}", t), {numel[t]}});
  return engine::MakeLayout(request);
}

engine::Buffer MemoryOf(Communicator::Ends& ends, int64_t bytes, engine::MemoryLedger& ledger) {
  if (!ends.device->host_can_reach()) {
    throw std::invalid_argument(
        fmt::format("a buffer on device {}: expected one whose memory the host can reach", ends.device->name()));
  }
  return engine::Buffer::OfCommunicator(*ends.world, bytes, engine::MemoryKind::kBuffer, ledger);
}

}  // namespace

Buffer::Storage::Storage(const Communicator& ranks, const std::vector<int64_t>& numel, Precision chosen,
                         int64_t alignment)
    : ends(ranks.ends()),
      layout(PaddedLayout(numel, ranks.world_size(), alignment)),
      precision(Inner(chosen)),
      element_bytes(engine::ElementBytes(precision)),
      memory(MemoryOf(*ends, layout.padded_numel() * element_bytes, ledger)) {}

void Buffer::Storage::ReadAsFloat(float* out, int64_t begin, int64_t numel) const {
  if (is_narrow()) return HostOps().CastToFloat(out, narrow(begin), numel);
  HostOps().Copy(out, wide(begin), numel * element_bytes);
}

void Buffer::Storage::WriteRounded(int64_t begin, const float* values, int64_t numel) const {
  if (is_narrow()) return HostOps().CastToBf16(narrow(begin), values, numel);
  HostOps().Copy(wide(begin), values, numel * element_bytes);
}

Buffer::Buffer(const Communicator& ranks, const std::vector<int64_t>& numel, Precision precision, int64_t alignment)
    : storage_(std::make_unique<Storage>(ranks, numel, precision, alignment)) {
  Zero();
}

Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&&) noexcept = default;
Buffer& Buffer::operator=(Buffer&&) noexcept = default;

int Buffer::tensors() const { return static_cast<int>(storage_->layout.numel.size()); }
int64_t Buffer::numel(int tensor) const { return storage_->layout.numel.at(tensor); }
int64_t Buffer::numel() const { return storage_->layout.padded_numel(); }
int64_t Buffer::shard_numel() const { return storage_->layout.shard_numel(storage_->ends->rank_settings.rank); }
int64_t Buffer::element_bytes() const { return storage_->element_bytes; }
Precision Buffer::precision() const { return storage_->is_narrow() ? Precision::kBf16 : Precision::kFp32; }

void* Buffer::data() const { return storage_->at(0); }
void* Buffer::tensor(int tensor) const { return storage_->at(storage_->layout.offset.at(tensor)); }
void* Buffer::shard() const { return storage_->at(storage_->shard_begin()); }

void Buffer::Zero() { std::memset(data(), 0, static_cast<size_t>(numel() * element_bytes())); }

void Buffer::Write(int tensor, const std::vector<float>& values) {
  if (std::ssize(values) != numel(tensor)) {
    throw std::invalid_argument(
        fmt::format("tensor {}: expected {} elements, got {}", tensor, numel(tensor), values.size()));
  }
  storage_->WriteRounded(storage_->layout.offset[tensor], values.data(), numel(tensor));
}

std::vector<float> Buffer::Read(int tensor) const {
  std::vector<float> values(numel(tensor));
  storage_->ReadAsFloat(values.data(), storage_->layout.offset[tensor], numel(tensor));
  return values;
}

void Buffer::Accumulate(int tensor, const void* values) {
  const int64_t begin = storage_->layout.offset.at(tensor), count = numel(tensor);
  if (!storage_->is_narrow()) return HostOps().Add(storage_->wide(begin), static_cast<const float*>(values), count);
  std::vector<float> sum = Read(tensor), added(count);
  HostOps().CastToFloat(added.data(), static_cast<const Bf16*>(values), count);
  HostOps().Add(sum.data(), added.data(), count);
  storage_->WriteRounded(begin, sum.data(), count);
}

void Buffer::AllGather() {
  Communicator::Ends& ends = *storage_->ends;
  ends.world->AllGather(data(), data(), storage_->layout.cuts, static_cast<int>(element_bytes()), *ends.stream,
                        "buffer");
  ends.stream->Synchronize();
}

void Buffer::ReduceScatter(GradientReduction reduction) {
  Communicator::Ends& ends = *storage_->ends;
  const int ranks = ends.rank_settings.world_size;
  const Fold fold = RankFold(ranks, 1);
  const float divisor = reduction == GradientReduction::kMean ? static_cast<float>(ranks) : 1.0f;
  if (!storage_->is_narrow()) {
    ends.world->ReduceScatter(storage_->wide(0), data(), storage_->layout.cuts, {fold, divisor},
                              engine::WireType::kFp32, *ends.stream, "buffer");
    return ends.stream->Synchronize();
  }
  std::vector<float> sums(shard_numel());
  ends.world->ReduceScatter(sums.data(), data(), storage_->layout.cuts,
                            {SumsKeptIn(Rounding::kFp32, Rounding::kBf16, fold, 1), divisor}, engine::WireType::kBf16,
                            *ends.stream, "buffer");
  ends.stream->Synchronize();
  storage_->WriteRounded(storage_->shard_begin(), sums.data(), shard_numel());
}

}  // namespace zerocts::library
