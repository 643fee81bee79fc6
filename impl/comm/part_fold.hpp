// What every backend does with the ranks' contributions to a part once they are in reach: the fold in the defined
// order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

inline int64_t BytesOf(WireType wire) { return wire == WireType::kBf16 ? 2 : 4; }

/// Throws std::logic_error unless every leaf of `fold` is one of `world_size` ranks and no sum is empty.
void CheckFold(const Fold& fold, int world_size);

/// Folds contributions that lie in `wire`'s type. bf16 is widened, exactly, a chunk of every rank at a time, into
/// `scratch`, which nobody else uses meanwhile.
class PartFold {
 public:
  /// Elements of each rank that are widened at a time. On the host 16 KiB, so that they stay in the second cache; on a
  /// device as many as make a kernel worth its launch.
  static int64_t ChunkNumel(const Device& device);
  static int64_t ScratchBytes(const Device& device, WireType wire, int world_size, int64_t longest_numel);

  /// `ops` work at once where contributions and scratch are, memory of `device`.
  PartFold(Ops& ops, const Device& device, const Reduction& reduction, WireType wire, int world_size,
           std::byte* scratch);

  /// out[i] = the fold over leaves[rank][i], divided, for `numel` elements. `out` may be an fp32 leaf. Contributions
  /// that are not added are copied, each to its rank's slot.
  void operator()(float* out, const std::vector<const std::byte*>& leaves, int64_t numel);

 private:
  Ops& ops_;
  const int64_t chunk_numel_;
  const Reduction& reduction_;
  const WireType wire_;
  float* const scratch_;              // a row of widened elements per rank
  std::vector<const float*> floats_;  // of each rank
};

}  // namespace zerocts::engine
