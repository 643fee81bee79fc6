#include "impl/comm/for_test/group_bodies.hpp"

#include <cstring>
#include <exception>
#include <thread>

#include "impl/comm/for_test/collective_inputs.hpp"
#include "impl/comm/for_test/late_stream.hpp"
#include "impl/comm/for_test/rank_bodies.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts::engine {
namespace {

CommunicatorSettings InGroup(CommunicatorSettings settings, const std::string& name, std::vector<int> members) {
  settings.group = name;
  settings.members = std::move(members);
  return settings;
}

/// The ranks of a 2 x 3 mesh whose row (or column) is that of `rank`.
std::vector<int> OfMesh(int rank, bool row) {
  std::vector<int> members;
  for (int peer = 0; peer < 6; ++peer) {
    if (row ? peer / 3 == rank / 3 : peer % 3 == rank % 3) members.push_back(peer);
  }
  return members;
}

}  // namespace

Hosts HostsOf(const CommunicatorSettings& settings) {
  const Group group = GroupOf(settings);
  const bool one_host = settings.ranks_per_host.empty();
  return PretendedHosts(group, one_host ? std::vector<int>{settings.world_size} : settings.ranks_per_host);
}

void CheckGroupsOfAMesh(const std::string& backend, const CommunicatorSettings& settings) {
  const std::vector<int> row = OfMesh(settings.rank, true), column = OfMesh(settings.rank, false);
  const auto of_world = MakeCommunicator(backend, settings);
  const auto groups = MakeGroups(backend, {InGroup(settings, "row", row), InGroup(settings, "column", column)});
  Communicator *const of_row = groups[0].get(), *const of_column = groups[1].get();
  Expect(3, of_row->world_size(), "ranks of a row");
  Expect(settings.rank % 3, of_row->rank(), "position in the row");
  Expect(2, of_column->world_size(), "ranks of a column");
  Expect(settings.rank / 3, of_column->rank(), "position in the column");

  const bool by_host = backend == "shm+mpi";
  CheckCollectives(*of_row, static_cast<uint64_t>(10 + row.front()),
                   by_host ? HostsOf(InGroup(settings, "row", row)) : Hosts{});
  CheckCollectives(*of_column, static_cast<uint64_t>(20 + column.front()),
                   by_host ? HostsOf(InGroup(settings, "column", column)) : Hosts{});

  // Hybrid sharding: sums of a row's parts are summed over the columns, then travel back along the row.
  const Cuts cuts = {{0, 3, 3, 8}};
  const WindowMemory full(*of_row, 8 * 4), part(*of_column, 5 * 4), gathered(*of_row, 5 * 4);
  for (int i = 0; i < 8; ++i) full.floats()[i] = Contribution(5, settings.rank, i);
  LateStream stream;
  const int64_t numel = OwnNumel(cuts, of_row->rank());
  of_row->ReduceScatter(part.floats(), full.bytes(), cuts, {RankFold(3, 1), 1}, WireType::kFp32, stream, "row");
  AllReduce(*of_column, part.floats(), numel, {RankFold(2, 1), 6}, stream, "column");
  stream.Run([&] { std::memcpy(gathered.bytes(), part.bytes(), static_cast<size_t>(numel) * 4); }, {});
  of_row->AllGather(full.bytes(), gathered.bytes(), cuts, 4, stream, "row");
  stream.Synchronize();
  const Fold order = Fold::Sum({Fold::Sum({Fold::Leaf(0), Fold::Leaf(1), Fold::Leaf(2)}),
                                Fold::Sum({Fold::Leaf(3), Fold::Leaf(4), Fold::Leaf(5)})});
  for (int i = 0; i < 8; ++i) {
    std::vector<float> leaves;
    for (int rank = 0; rank < 6; ++rank) leaves.push_back(Contribution(5, rank, i));
    Expect(CanonicalBits(Evaluate(order, leaves) / 6), CanonicalBits(full.floats()[i]),
           "rank {}, element {} summed along rows and columns", settings.rank, i);
  }
  CheckNobodyOvertakes(*of_world, stream);
}

void CheckTwins(const std::string& backend, const CommunicatorSettings& settings) {
  const auto world = MakeCommunicator(backend, settings);
  const auto twin = MakeCommunicator(backend, InGroup(settings, "twin", {}));
  std::exception_ptr trouble;
  std::thread other([&] {
    try {
      LateStream stream;
      CheckNobodyOvertakes(*twin, stream, 5000);
    } catch (...) {
      trouble = std::current_exception();
    }
  });
  try {
    LateStream stream;
    CheckNobodyOvertakes(*world, stream);
  } catch (...) {
    other.join();
    throw;
  }
  other.join();
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace zerocts::engine
