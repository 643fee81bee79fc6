// Copies between plain memory of the host and an optimizer's home, which is the device, or the host when offloaded.
#pragma once
#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

class HomeCopies {
 public:
  explicit HomeCopies(const RankContext& context) : device_(context.device), on_host_(context.offloads()) {}

  /// Enqueued on `home`.
  void ToHome(void* out, const void* in, int64_t bytes, DeviceStream& home) const {
    on_host_ ? home.ops().Copy(out, in, bytes) : device_.CopyFromHost(out, in, bytes, home);
  }
  void FromHome(void* out, const void* in, int64_t bytes, DeviceStream& home) const {
    on_host_ ? home.ops().Copy(out, in, bytes) : device_.CopyToHost(out, in, bytes, home);
  }

 private:
  Device& device_;
  const bool on_host_;
};

}  // namespace zerocts::engine
