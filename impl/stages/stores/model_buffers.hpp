// Buffers of the model: in its list of parameters and never updated. Every rank holds all of them, one after the other,
// each in its precision.
#pragma once
#include <vector>

#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

class ModelBuffers {
 public:
  explicit ModelBuffers(const RankContext& context);

  /// From initial[p] (fp32 of the host, [numel], until return), rounded to the buffer's precision.
  void Load(const std::vector<const float*>& initial, Device& device, DeviceStream& stream);

  /// One of them, from the host, in its precision. Throws std::invalid_argument for what is no buffer.
  void Write(int parameter, const void* host, Device& device, DeviceStream& stream);

  /// The elements of a parameter that is a buffer, in its precision.
  void* Whole(int parameter) const { return memory_.as<std::byte>() + begin_[parameter]; }

 private:
  const EngineSettings& settings_;
  std::vector<int64_t> begin_;  // [parameters], bytes
  Buffer memory_;
};

}  // namespace zerocts::engine
