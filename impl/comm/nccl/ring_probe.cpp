#include "impl/comm/nccl/ring_probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "impl/comm/parts.hpp"
#include "impl/layout/unimplemented.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

/// Contributions that tell every order of addition from every other: in element (i, j), rank i puts in a number that
/// swallows ones, rank j takes it out again, all others put in ones, so the sum counts what is added after both. Every
/// other element is a number over many exponents, so that roundings show.
float Contribution(int rank, int64_t element, int world_size) {
  if (element % 2 == 1) {
    const auto stream = static_cast<uint64_t>(rank), index = static_cast<uint64_t>(element);
    return RoundToBf16(
        std::ldexp(RandomUniform(7, stream, index), static_cast<int>(RandomBelow(8, stream, index, 16))));
  }
  constexpr float kSwallowsOnes = 0x1p30f;
  const int64_t pair = element / 2 % (world_size * world_size);
  if (rank == pair / world_size) return kSwallowsOnes;
  if (rank == pair % world_size) return -kSwallowsOnes;
  return 1;
}

/// Equal, long and unequal parts.
std::vector<Cuts> WaysToCut(int world_size) {
  const int64_t short_part = 2 * world_size * world_size, long_part = int64_t{1} << 16;
  std::vector<int64_t> unequal = {0};
  for (int rank = 0; rank < world_size; ++rank) unequal.push_back(unequal.back() + short_part + rank);
  return {EqualParts(short_part * world_size, world_size), EqualParts(long_part * world_size, world_size), {unequal}};
}

/// How many elements of this rank's shard are not the sum in the order `ring`.
uint64_t CountStrangeSums(Communicator& comm, Device& device, DeviceStream& stream, const Cuts& cuts, WireType wire) {
  const int rank = comm.rank(), world_size = comm.world_size();
  const std::vector<int64_t>& cut = cuts.front();
  const bool narrow = wire == WireType::kBf16;
  const int64_t element = narrow ? 2 : 4, numel = cut.back(), own_numel = cut[rank + 1] - cut[rank];
  std::vector<std::byte> contributions(static_cast<size_t>(numel * element));
  for (int64_t i = 0; i < numel; ++i) {
    const float value = Contribution(rank, i, world_size);
    const Bf16 rounded = ToBf16(value);
    std::memcpy(&contributions[i * element], narrow ? static_cast<const void*>(&rounded) : &value, element);
  }
  const Fold ring = RingFold(world_size, 1, rank, narrow ? Rounding::kBf16 : Rounding::kFp32);
  std::vector<float> sums(static_cast<size_t>(own_numel));

  void* full = comm.Allocate(numel * element, MemoryKind::kBuffer);
  auto* out = static_cast<float*>(device.Allocate(own_numel * 4, MemoryKind::kBuffer));
  device.CopyFromHost(full, contributions.data(), numel * element, stream);
  comm.ReduceScatter(out, full, cuts, {ring, 1}, wire, stream, "probe of the order");
  device.CopyToHost(sums.data(), out, own_numel * 4, stream);
  stream.Synchronize();
  device.Free(out);
  comm.Free(full);

  uint64_t strange = 0;
  std::vector<float> leaves(static_cast<size_t>(world_size));
  for (int64_t i = 0; i < own_numel; ++i) {
    for (int peer = 0; peer < world_size; ++peer) leaves[peer] = Contribution(peer, cut[rank] + i, world_size);
    strange += CanonicalBits(Evaluate(ring, leaves)) != CanonicalBits(sums[i]) ? 1 : 0;
  }
  return strange;
}

}  // namespace

void RequireRingOrder(Communicator& comm, Device& device, const std::string& library) {
  const auto stream = device.MakeStream(StreamRole::kCommunication);
  std::vector<uint64_t> strange(static_cast<size_t>(comm.world_size()));  // elements of each rank's shards
  for (const Cuts& cuts : WaysToCut(comm.world_size())) {
    for (const WireType wire : {WireType::kFp32, WireType::kBf16}) {
      strange[comm.rank()] += CountStrangeSums(comm, device, *stream, cuts, wire);
    }
  }
  comm.AllReduceSum(strange.data(), comm.world_size(), *stream, "probe of the order");
  stream->Synchronize();
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.world_size(); ++rank) {
    if (strange[rank] > 0) ranks.push_back(rank);
  }
  if (ranks.empty()) return;
  throw Unimplemented(
      fmt::format("comm nccl, nccl_reduce=native: {} does not add in the order ring here: {} elements of the shards of "
                  "ranks {} of the group are other sums; expected rank r's shard to add ranks r+1, r+2, .., r; choose "
                  "nccl_reduce=exact",
                  library, std::accumulate(strange.begin(), strange.end(), uint64_t{0}), fmt::join(ranks, ",")));
}

}  // namespace zerocts::engine
