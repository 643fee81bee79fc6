// What every backend does with the ranks' contributions to a part once they are in reach: the fold in the defined
// order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts {

inline int64_t BytesOf(WireType wire) { return wire == WireType::kBf16 ? 2 : 4; }

/// Throws std::logic_error unless every leaf of `fold` is one of `world_size` ranks and no sum is empty.
void CheckFold(const Fold& fold, int world_size);

/// Folds contributions that lie in `wire`'s type. bf16 is widened, exactly, a few elements of every rank at a time,
/// into `scratch`, which nobody else uses meanwhile.
class PartFold {
 public:
  static int64_t ScratchBytes(WireType wire, int world_size, int64_t longest_numel);

  PartFold(const Reduction& reduction, WireType wire, int world_size, std::byte* scratch);

  /// out[i] = the fold over leaves[rank][i], divided, for `numel` elements. `out` may be an fp32 leaf.
  void operator()(float* out, const std::vector<const std::byte*>& leaves, int64_t numel);

 private:
  const Reduction& reduction_;
  const WireType wire_;
  float* const scratch_;              // a row of widened elements per rank
  std::vector<const float*> floats_;  // of each rank
};

}  // namespace zerocts
