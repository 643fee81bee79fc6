#include "impl/stages/rank/upload.hpp"

#include <algorithm>

namespace zerocts::engine {
namespace {

constexpr int64_t kChunk = 16384;  // elements; both buffers stay in the second-level cache

}  // namespace

Upload::Upload(const RankContext& context, DeviceStream& stream, int64_t largest_numel)
    : device_(context.device),
      stream_(stream),
      chunk_(std::min(kChunk, largest_numel)),
      narrow_(context.Allocate(BufferPlace::kDevice, chunk_ * ElementBytes(Precision::kBf16), MemoryKind::kBuffer)),
      wide_(context.Allocate(BufferPlace::kDevice, chunk_ * ElementBytes(Precision::kFp32), MemoryKind::kBuffer)) {}

void Upload::ForEachChunk(const void* host, Precision precision, int64_t numel,
                          const std::function<void(int64_t, float*, int64_t)>& visit) {
  const int64_t element_bytes = ElementBytes(precision);
  float* wide = wide_.as<float>();
  for (int64_t begin = 0; begin < numel; begin += chunk_) {
    const int64_t count = std::min(chunk_, numel - begin);
    const std::byte* chunk = static_cast<const std::byte*>(host) + begin * element_bytes;
    if (precision == Precision::kFp32) {
      device_.CopyFromHost(wide, chunk, count * element_bytes, stream_);
    } else {
      device_.CopyFromHost(narrow_.as<Bf16>(), chunk, count * element_bytes, stream_);
      stream_.ops().CastToFloat(wide, narrow_.as<Bf16>(), count);
    }
    visit(begin, wide, count);
  }
}

}  // namespace zerocts::engine
