#include "impl/stages/parameter_buffer.hpp"

namespace zerocts {

ParameterBuffer::ParameterBuffer(Communicator& comm, Device& device, DeviceStream& stream, const Layout& layout,
                                 Precision precision, MemoryLedger& ledger)
    : comm_(comm),
      device_(device),
      stream_(stream),
      layout_(layout),
      precision_(precision),
      buffer_(Buffer::OfCommunicator(comm, layout.padded_numel * ElementBytes(precision), MemoryKind::kParameter,
                                     ledger)) {}

void ParameterBuffer::Load(const std::vector<const float*>& initial, Upload& upload) {
  for (size_t p = 0; p < initial.size(); ++p) {
    const int64_t offset = layout_.offset[p];
    upload.ForEachChunk(initial[p], Precision::kFp32, layout_.numel[p],
                        [&](int64_t begin, const float* values, int64_t count) {
                          if (precision_ == Precision::kBf16) {
                            stream_.ops().CastToBf16(bf16() + offset + begin, values, count);
                          } else {
                            stream_.ops().Copy(fp32() + offset + begin, values, count * ElementBytes(precision_));
                          }
                        });
  }
}

float* ParameterBuffer::MastersOf(const Shard& shard) const {
  return precision_ == Precision::kFp32 ? fp32() + shard.begin : nullptr;
}

void ParameterBuffer::WriteBack(const Shard& shard, const float* masters) {
  if (precision_ == Precision::kFp32) return;
  for (const Piece& piece : shard.pieces) {
    stream_.ops().CastToBf16(bf16() + shard.begin + piece.shard_offset, masters + piece.shard_offset,
                             piece.end - piece.begin);
  }
}

void ParameterBuffer::AllGather() {
  std::vector<int64_t> offsets_bytes;
  for (int64_t begin : layout_.shard_begin) offsets_bytes.push_back(begin * ElementBytes(precision_));
  stream_.Synchronize();
  comm_.AllGather(buffer_.as<void>(), offsets_bytes, "parameters");
}

const float* ParameterBuffer::AsFloat(int p, float* wide) const {
  if (precision_ == Precision::kFp32) return fp32() + layout_.offset[p];
  stream_.ops().CastToFloat(wide, bf16() + layout_.offset[p], layout_.numel[p]);
  return wide;
}

void ParameterBuffer::Read(int p, void* host) const {
  const int64_t element_bytes = ElementBytes(precision_);
  const std::byte* parameter = buffer_.as<std::byte>() + layout_.offset[p] * element_bytes;
  device_.CopyToHost(host, parameter, layout_.numel[p] * element_bytes, stream_);
  stream_.Synchronize();
}

}  // namespace zerocts
