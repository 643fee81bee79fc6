// NCCL's own reduce-scatter, pinned to its Ring: fewer passes over memory than a fold of our own, and the order `ring`,
// which a probe confirms when the communicator is made.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "impl/comm/backends.hpp"
#include "impl/comm/communicator.hpp"
#include "impl/comm/nccl/communicator.hpp"
#include "impl/comm/nccl/environment.hpp"
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

/// Collective; all ranks come to the same verdict. Throws Unimplemented, naming `library` and the ranks whose shards
/// are added otherwise. Equal parts, unequal parts, short and long ones, fp32 and bf16 are tried.
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

const CommunicatorSettings& PinnedToRing(const CommunicatorSettings& settings) {
  PinNcclToRing();
  return settings;
}

class NcclNativeCommunicator : public NcclCommunicator {
 public:
  explicit NcclNativeCommunicator(const CommunicatorSettings& settings)
      : NcclCommunicator(PinnedToRing(settings), "nccl-native") {
    RequireRingOrder(*this, *this->settings().device, connection().library().name());
    ForgetTraffic();
  }

  void AllToAll(float*, float*, const Cuts&, DeviceStream&, const char*) override {
    throw std::invalid_argument("comm nccl, nccl_reduce=native: has no all-to-all; expected nccl_reduce=exact");
  }

 protected:
  void CheckReduction(const Reduction& reduction, WireType wire) const override {
    const Fold ring = RingFold(world_size(), 1, rank());
    const bool narrow = wire == WireType::kBf16;
    const bool kept_in_wire_type = narrow ? reduction.fold == RingFold(world_size(), 1, rank(), Rounding::kBf16) ||
                                                reduction.fold == SumsKeptIn(Rounding::kFp32, Rounding::kBf16, ring, 1)
                                          : reduction.fold == ring;
    if (kept_in_wire_type) return;
    throw std::invalid_argument(fmt::format(
        "comm nccl, nccl_reduce=native: adds in the order ring, every sum in the type on the wire, so {}; got "
        "{}; expected reduction order ring, or nccl_reduce=exact",
        ToString(ring), ToString(reduction.fold)));
  }

  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override {
    const bool narrow = request.wire == WireType::kBf16;
    const int64_t own_bytes = PartsNumel(request.cuts, rank()) * static_cast<int64_t>(sizeof(Bf16));
    std::byte* sums = narrow ? staging().Reserve(own_bytes, stream) : nullptr;
    return [=, this, &stream, request = std::move(request)](const CollectiveCall& call) {
      connection().Perform(call, stream, [&](auto& post) {
        int64_t packed = 0;
        for (const std::vector<int64_t>& cut : request.cuts) {
          Post(post, request, cut, packed, sums);
          packed += cut[rank() + 1] - cut[rank()];
        }
      });
      for (const Part& part : PartsOf(request.cuts, rank())) {
        float* out = request.out + (request.in_place() ? part.begin : part.packed);
        if (narrow)
          stream.ops_of_work().CastToFloat(out, reinterpret_cast<const Bf16*>(sums) + part.packed, part.numel);
        stream.ops_of_work().Divide(out, request.reduction.divisor, part.numel);
      }
      return Moved{};  // which bytes pass a rank is NCCL's affair
    };
  }

 private:
  /// Sums in the wire's type: fp32 where they belong, bf16 one after the other in `sums`; `packed` elements of this
  /// rank are in front of those of this cut. Parts that are not equal are reduced to their owners, along the same ring.
  void Post(NcclConnection::Posting& post, const ReduceRequest& request, const std::vector<int64_t>& cut,
            int64_t packed, std::byte* sums) const {
    const bool narrow = request.wire == WireType::kBf16;
    const ncclDataType_t type = narrow ? ncclBfloat16 : ncclFloat32;
    const int64_t element = narrow ? 2 : 4;
    const int64_t offset = request.in_place() ? cut[rank()] : packed;
    std::byte* own = narrow ? sums + packed * element : reinterpret_cast<std::byte*>(request.out + offset);
    if (HasEqualParts(cut)) {
      post.ReduceScatter(own, request.full + cut.front() * element, cut[1] - cut[0], type);
      return;
    }
    for (int owner = 0; owner < world_size(); ++owner) {
      const int64_t numel = cut[owner + 1] - cut[owner];
      if (numel > 0) post.Reduce(own, request.full + cut[owner] * element, numel, type, owner);
    }
  }
};

}  // namespace

std::unique_ptr<Communicator> MakeNcclNativeCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<NcclNativeCommunicator>(settings);
}

}  // namespace zerocts::engine
