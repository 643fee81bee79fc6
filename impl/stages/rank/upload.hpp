// Tensors of the host, given in fp32 or bf16, as fp32 on the device: chunk after chunk through one small buffer.
#pragma once
#include <functional>

#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

class Upload {
 public:
  Upload(const RankContext& context, DeviceStream& stream, int64_t largest_numel);

  /// visit(begin, values, count): elements [begin, begin + count) stand in `values`, which visit may change, for what
  /// it enqueues. `host` is the host's again after the stream is synchronised.
  void ForEachChunk(const void* host, Precision precision, int64_t numel,
                    const std::function<void(int64_t, float*, int64_t)>& visit);

 private:
  Device& device_;
  DeviceStream& stream_;
  const int64_t chunk_;
  Buffer narrow_, wide_;  // [chunk_] as the host gave it, and as fp32
};

}  // namespace zerocts::engine
