// MPI's own collectives, to compare with: polled, so that they have a deadline too. In which order they add is MPI's
// choice and differs with sizes, ranks and versions.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/comm/mpi/communicator.hpp"
#include "impl/comm/mpi/runtime.hpp"

namespace zerocts::engine {
namespace {

int CountForMpi(int64_t count) {
  if (count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
  throw std::invalid_argument(
      fmt::format("comm mpi-native: {} in one part; MPI counts to {}: expected smaller buckets, or comm mpi", count,
                  std::numeric_limits<int>::max()));
}

/// Collective over the group, in calls that cannot be polled and have no deadline. To be freed by the caller.
MPI_Comm MpiCommOf(const Group& group) {
  const std::lock_guard lock(MpiMutex());
  MPI_Group of_world, members;
  MPI_Comm comm;
  CheckMpi(MPI_Comm_group(MPI_COMM_WORLD, &of_world), "MPI_Comm_group");
  CheckMpi(MPI_Group_incl(of_world, group.size(), group.members.data(), &members), "MPI_Group_incl");
  CheckMpi(MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &comm), "MPI_Comm_create_group");
  MPI_Group_free(&members);
  MPI_Group_free(&of_world);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

class MpiNativeCommunicator : public MpiCommunicator {
 public:
  /// All members have joined before, so the call that cannot be polled does not wait for anybody.
  explicit MpiNativeCommunicator(const CommunicatorSettings& settings)
      : MpiCommunicator(settings, "mpi-native"), comm_(MpiCommOf(group())) {}
  ~MpiNativeCommunicator() override {
    if (MpiIsBroken()) return;
    const std::lock_guard lock(MpiMutex());
    MPI_Comm_free(&comm_);
  }

 protected:
  void CheckReduction(const Reduction& reduction, WireType wire) const override {
    if (reduction.fold != Fold{}) {
      throw std::invalid_argument(
          "comm mpi-native adds in an order that MPI chooses: expected the empty fold (any order, for inputs whose "
          "sums "
          "are exact), got " +
          ToString(reduction.fold) + "; or choose comm mpi");
    }
    if (wire != WireType::kFp32) {
      throw std::invalid_argument("comm mpi-native: MPI has no sum of bf16; expected fp32 on the wire, or comm mpi");
    }
  }

  Body GatherBody(GatherRequest request, DeviceStream&) override {
    return [this, request = std::move(request)](const CollectiveCall& call) {
      ArriveAndWait(call);  // names who is missing, which a collective of MPI cannot
      int64_t packed = 0;
      for (const std::vector<int64_t>& cut : request.cuts) {
        const int64_t numel = cut[rank() + 1] - cut[rank()];
        Gather(request, cut, packed, call);
        packed += numel;
      }
      return Moved{};
    };
  }

  Body ReduceBody(ReduceRequest request, DeviceStream& stream) override {
    int64_t longest = 0;
    for (const auto& cut : request.cuts) longest = std::max(longest, cut[rank() + 1] - cut[rank()]);
    auto* sums = reinterpret_cast<float*>(staging().Reserve(longest * static_cast<int64_t>(sizeof(float)), stream));
    return [=, this, request = std::move(request)](const CollectiveCall& call) {
      ArriveAndWait(call);
      int64_t packed = 0;
      for (const std::vector<int64_t>& cut : request.cuts) {
        const int64_t numel = cut[rank() + 1] - cut[rank()];
        Reduce(sums, request, cut, call);
        HostOps().Divide(sums, request.reduction.divisor, numel);
        HostOps().Copy(request.out + (request.in_place() ? cut[rank()] : packed), sums,
                       numel * static_cast<int64_t>(sizeof(float)));
        packed += numel;
      }
      return Moved{};
    };
  }

 private:
  void Gather(const GatherRequest& request, const std::vector<int64_t>& cut, int64_t packed,
              const CollectiveCall& call) {
    const int64_t element = request.element_bytes;
    std::vector<int> bytes, begin;
    for (int owner = 0; owner < world_size(); ++owner) {
      bytes.push_back(CountForMpi((cut[owner + 1] - cut[owner]) * element));
      begin.push_back(CountForMpi((cut[owner] - cut.front()) * element));
    }
    const void* own = request.in_place() ? MPI_IN_PLACE : request.own + packed * element;
    Await(call, "MPI_Iallgatherv", [&](MPI_Request* message) {
      return MPI_Iallgatherv(own, bytes[rank()], MPI_BYTE, request.full + cut.front() * element, bytes.data(),
                             begin.data(), MPI_BYTE, comm_, message);
    });
  }

  void Reduce(float* sums, const ReduceRequest& request, const std::vector<int64_t>& cut, const CollectiveCall& call) {
    std::vector<int> numel;
    for (int owner = 0; owner < world_size(); ++owner) numel.push_back(CountForMpi(cut[owner + 1] - cut[owner]));
    const float* full = reinterpret_cast<const float*>(request.full) + cut.front();
    Await(call, "MPI_Ireduce_scatter", [&](MPI_Request* message) {
      return MPI_Ireduce_scatter(full, sums, numel.data(), MPI_FLOAT, MPI_SUM, comm_, message);
    });
  }

  template <class Start>
  void Await(const CollectiveCall& call, const char* name, const Start& start) {
    MPI_Request message = MPI_REQUEST_NULL;
    const auto locked = [&](auto&& work) {
      const std::lock_guard lock(MpiMutex());
      CheckMpi(work(), name);
    };
    locked([&] { return start(&message); });
    for (int done = 0; !done;) {
      if (call.expired()) {
        MarkMpiBroken();
        throw call.Timeout({});  // everybody had come, and who left since MPI does not say
      }
      locked([&] { return MPI_Test(&message, &done, MPI_STATUS_IGNORE); });
      if (!done) sched_yield();
    }
  }

  MPI_Comm comm_;
};

}  // namespace

std::unique_ptr<Communicator> MakeMpiNativeCommunicator(const CommunicatorSettings& settings) {
  return std::make_unique<MpiNativeCommunicator>(settings);
}

}  // namespace zerocts::engine
