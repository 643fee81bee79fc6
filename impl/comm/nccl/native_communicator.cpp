// NCCL's own reduce-scatter, pinned to its Ring: fewer passes over memory than a fold of our own, and the order `ring`,
// which a probe confirms when the communicator is made.
#include <fmt/format.h>

#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/comm/nccl/communicator.hpp"
#include "impl/comm/nccl/environment.hpp"
#include "impl/comm/nccl/ring_probe.hpp"
#include "impl/comm/parts.hpp"

namespace zerocts::engine {
namespace {

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
    const int64_t place = request.in_place() ? cut[rank()] : packed;
    std::byte* own = narrow ? sums + packed * element : reinterpret_cast<std::byte*>(request.out + place);
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
