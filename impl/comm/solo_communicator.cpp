// A group of one rank: nobody to find, nobody to wait for. What collectives do to values they do all the same.
#include "impl/comm/backends.hpp"
#include "impl/comm/enqueuing_communicator.hpp"
#include "impl/comm/part_fold.hpp"
#include "impl/comm/parts.hpp"

namespace zerocts::engine {
namespace {

class SoloCommunicator : public EnqueuingCommunicator {
 public:
  explicit SoloCommunicator(const CommunicatorSettings& settings) : EnqueuingCommunicator("solo", settings) {}

  void* Allocate(int64_t bytes, MemoryKind kind) override { return settings().device->Allocate(bytes, kind); }
  void Free(void* memory) override { settings().device->Free(memory); }

 protected:
  Body GatherBody(GatherRequest request, DeviceStream& stream) override {
    return [&stream, request = std::move(request)](const CollectiveCall&) {
      if (request.in_place()) return Moved{};
      for (const Part& part : PartsOf(request.cuts, 0)) {
        const int64_t element = request.element_bytes;
        stream.ops_of_work().Copy(request.full + part.begin * element, request.own + part.packed * element,
                                  part.numel * element);
      }
      return Moved{};
    };
  }

  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override {
    const Device& device = *settings().device;
    std::byte* scratch =
        staging().Reserve(PartFold::ScratchBytes(device, request.wire, 1, PartsNumel(request.cuts, 0)), stream);
    return [&device, &stream, scratch, request = std::move(request)](const CollectiveCall&) {
      PartFold fold(stream.ops_of_work(), device, request.reduction, request.wire, 1, scratch);
      for (const Part& part : PartsOf(request.cuts, 0)) {
        fold(request.out + (request.in_place() ? part.begin : part.packed),
             {request.full + part.begin * BytesOf(request.wire)}, part.numel);
      }
      return Moved{};
    };
  }

  Body SumBody(uint64_t*, int64_t, DeviceStream&) override {
    return [](const CollectiveCall&) { return Moved{}; };
  }
  void ArriveAndWait(const CollectiveCall&) override {}
};

}  // namespace

std::unique_ptr<Communicator> MakeSoloCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<SoloCommunicator>(settings);
}

}  // namespace zerocts::engine
