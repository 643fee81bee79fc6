#include "impl/comm/enqueuing_communicator.hpp"

#include <stdexcept>

#include "impl/comm/part_fold.hpp"
#include "impl/comm/parts.hpp"

namespace zerocts::engine {
namespace {

/// What an all-gather writes: everything between the ends of the cuts, but for the parts that stand there already.
std::vector<Overwritten> OverwrittenByGather(std::byte* full, const Cuts& cuts, int element_bytes, bool in_place,
                                             int rank) {
  std::vector<Overwritten> overwritten;
  const auto add = [&](int64_t begin, int64_t end) {
    if (begin < end) overwritten.push_back({full + begin * element_bytes, (end - begin) * element_bytes});
  };
  for (const std::vector<int64_t>& cut : cuts) {
    if (in_place) {
      add(cut.front(), cut[rank]);
      add(cut[rank + 1], cut.back());
    } else {
      add(cut.front(), cut.back());
    }
  }
  return overwritten;
}

}  // namespace

EnqueuingCommunicator::EnqueuingCommunicator(std::string name, const CommunicatorSettings& settings)
    : name_(std::move(name)), settings_(settings), group_(GroupOf(settings)), staging_(*settings.device) {}

Traffic EnqueuingCommunicator::traffic() const {
  const std::lock_guard lock(mutex_);
  return traffic_;
}

void EnqueuingCommunicator::ForgetTraffic() {
  const std::lock_guard lock(mutex_);
  traffic_ = {};
}

CollectiveCall EnqueuingCommunicator::NextCall(const char* operation, const char* what) {
  return CollectiveCall(settings_, group_, ++calls_, operation, what);
}

void EnqueuingCommunicator::Enqueue(DeviceStream& stream, const char* operation, const char* what,
                                    Traffic::Count Traffic::*count, Body body, std::vector<Overwritten> overwritten) {
  const auto run = [this, operation, what, count, body = std::move(body), sequence = ++calls_] {
    const Moved moved = Execute(body, sequence, operation, what);
    const std::lock_guard lock(mutex_);
    Traffic::Count& total = traffic_.*count;
    total.calls += 1;
    total.sent_bytes += moved.sent_bytes;
    total.received_bytes += moved.received_bytes;
  };
  stream.Run(run, std::move(overwritten));
}

EnqueuingCommunicator::Moved EnqueuingCommunicator::Execute(const Body& body, uint64_t sequence, const char* operation,
                                                            const char* what) {
  try {
    return body(CollectiveCall(settings_, group_, sequence, operation, what));
  } catch (...) {
    Abort();
    throw;
  }
}

void EnqueuingCommunicator::AllGather(void* full, const void* own, const Cuts& cuts, int element_bytes,
                                      DeviceStream& stream, const char* what) {
  CheckCuts(cuts, world_size());
  GatherRequest request{static_cast<std::byte*>(full), static_cast<const std::byte*>(own), cuts, element_bytes};
  auto overwritten = OverwrittenByGather(request.full, cuts, element_bytes, request.in_place(), rank());
  Enqueue(stream, "all_gather", what, &Traffic::all_gather, GatherBody(std::move(request), stream),
          std::move(overwritten));
}

void EnqueuingCommunicator::ReduceScatter(float* out, void* full, const Cuts& cuts, const Reduction& reduction,
                                          WireType wire, DeviceStream& stream, const char* what) {
  CheckCuts(cuts, world_size());
  CheckReduction(reduction, wire);
  ReduceRequest request{out, static_cast<std::byte*>(full), cuts, reduction, wire};
  std::vector<Overwritten> overwritten;
  if (!request.in_place()) {
    overwritten = {{out, PartsNumel(cuts, rank()) * static_cast<int64_t>(sizeof(float))}};
  } else if (wire != WireType::kFp32) {
    throw std::logic_error("reduce-scatter of bf16 in place: expected `out` apart from `full`, since sums are fp32");
  }
  Enqueue(stream, "reduce_scatter", what, &Traffic::reduce_scatter, ReduceBody(std::move(request), stream),
          std::move(overwritten));
}

void EnqueuingCommunicator::AllToAll(float* out, float* full, const Cuts& cuts, DeviceStream& stream,
                                     const char* what) {
  CheckCuts(cuts, world_size());
  const int64_t numel = PartsNumel(cuts, rank());
  ReduceRequest request{out, reinterpret_cast<std::byte*>(full), cuts, {.apart = numel}, WireType::kFp32};
  Enqueue(stream, "all_to_all", what, &Traffic::reduce_scatter, ReduceBody(std::move(request), stream),
          {{out, world_size() * numel * static_cast<int64_t>(sizeof(float))}});
}

void EnqueuingCommunicator::CheckReduction(const Reduction& reduction, WireType) const {
  CheckFold(reduction.fold, world_size());
}

void EnqueuingCommunicator::AllReduceSum(uint64_t* inout, int64_t count, DeviceStream& stream, const char* what) {
  Enqueue(stream, "all_reduce", what, &Traffic::all_reduce, SumBody(inout, count, stream), {});
}

void EnqueuingCommunicator::Barrier(const char* what) { ArriveAndWait(NextCall("barrier", what)); }

void AllReduce(Communicator& comm, float* inout, int64_t numel, const Reduction& reduction, DeviceStream& stream,
               const char* what) {
  const Cuts cuts = EqualParts(numel, comm.world_size());
  comm.ReduceScatter(inout, inout, cuts, reduction, WireType::kFp32, stream, what);
  comm.AllGather(inout, inout, cuts, sizeof(float), stream, what);
}

}  // namespace zerocts::engine
