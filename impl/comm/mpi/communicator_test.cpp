// The rank bodies under mpirun. No GoogleTest: ranks that write one report destroy it. Exit code 0 when every rank is
// content. comm_mpi_test mpi|shm+mpi [RANKS_PER_HOST], where mpirun starts them on several hosts
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/comm/for_test/group_bodies.hpp"
#include "impl/comm/for_test/rank_bodies.hpp"
#include "impl/device/for_test/poisoned_memory.hpp"

namespace zerocts::engine {
namespace {

void ExpectRefusal(const std::string& expected, const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& refusal) {
    if (std::string(refusal.what()).find(expected) != std::string::npos) return;
    throw std::runtime_error(fmt::format("expected a refusal with '{}', got: {}", expected, refusal.what()));
  }
  throw std::runtime_error(fmt::format("expected a refusal with '{}', got none", expected));
}

/// Shared memory inside a host and messages between hosts, for the hosts that there are, and for pretended ones.
void CheckHosts(CommunicatorSettings settings, int ranks_per_real_host) {
  CommunicatorSettings real = settings;
  real.ranks_per_host = {ranks_per_real_host};
  CheckCollectives(*MakeCommunicator("shm+mpi", settings), 1, HostsOf(real));
  for (const std::vector<int>& ranks_per_host : std::vector<std::vector<int>>{{1}, {2}, {2, 3}}) {
    settings.ranks_per_host = ranks_per_host;
    const auto comm = MakeCommunicator("shm+mpi", settings);
    CheckCollectives(*comm, 1, HostsOf(settings));
  }
  settings.ranks_per_host = {2};
  CheckTwins("shm+mpi", settings);
  if (settings.world_size == 6) CheckGroupsOfAMesh("shm+mpi", settings);
  settings.ranks_per_host = {2, 0};
  ExpectRefusal("ranks_per_host is 2,0: expected numbers from 1 on", [&] { MakeCommunicator("shm+mpi", settings); });
}

/// The last rank does not come in time: the others name it, and the transport is spent. `first_call`: the number of the
/// first one after those with which ranks join.
void CheckTimeout(const std::string& backend, int first_call, const CommunicatorSettings& settings) {
  const int missing = settings.world_size - 1;
  CommunicatorSettings impatient = settings;
  impatient.deadline = std::chrono::milliseconds(300);
  {
    const auto comm = MakeCommunicator(backend, settings.rank == missing ? settings : impatient);
    comm->Barrier("start");
    if (settings.rank == missing) {
      std::this_thread::sleep_for(std::chrono::milliseconds(900));
      return;
    }
    try {
      comm->Barrier("parameters");
      throw std::runtime_error("a barrier ended without its last rank");
    } catch (const CollectiveTimeout& timeout) {
      const std::string text = timeout.what();
      const bool good = text.find(fmt::format("barrier #{} (parameters): waited ", first_call + 1)) == 0 &&
                        text.find("; arrived 0") != std::string::npos &&
                        text.find(fmt::format("; missing {}", missing)) != std::string::npos;
      if (!good) throw std::runtime_error("the timeout says: " + text);
    }
  }
  ExpectRefusal("comm " + backend + ": an earlier wait of this process ran out",
                [&] { MakeCommunicator(backend, impatient); });
}

void CheckMessages(const CommunicatorSettings& settings, Device& device) {
  {
    const auto comm = MakeCommunicator("auto", settings);
    if (comm->name() != "mpi") throw std::runtime_error("auto took " + comm->name());
    CheckCollectives(*comm);
    CheckNobodyOvertakes(*comm, *device.MakeStream(StreamRole::kCommunication));
    if (settings.world_size > 1 && comm->staging_bytes() == 0) throw std::runtime_error("staging_bytes is 0");
  }
  CheckTwins("mpi", settings);  // a second one in the same process, and a third
  if (settings.world_size == 6) CheckGroupsOfAMesh("mpi", settings);
}

void Run(const std::string& backend, int rank, int world_size, int ranks_per_host) {
  PoisonedMemory memory;
  const auto device = MakeHostDevice(memory, {});
  CommunicatorSettings settings;
  settings.rank = rank;
  settings.world_size = world_size;
  settings.device = device.get();
  if (!StartedByMpi()) throw std::runtime_error("StartedByMpi() is false under mpirun");

  CommunicatorSettings other_world = settings;
  other_world.world_size = world_size + 1;
  ExpectRefusal(fmt::format("comm {}: this process is rank {} of {} in MPI_COMM_WORLD, but rank {} of {} was asked",
                            backend, rank, world_size, rank, world_size + 1),
                [&] { MakeCommunicator(backend, other_world); });

  backend == "mpi" ? CheckMessages(settings, *device) : CheckHosts(settings, ranks_per_host);
  settings.ranks_per_host = {2};  // of no concern to mpi
  MPI_Barrier(MPI_COMM_WORLD);    // the odd ranks were busy, and patience ends soon
  CheckTimeout(backend, backend == "mpi" ? 2 : 3, settings);
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int rank = 0, world_size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  int exit_code = 0;
  try {
    zerocts::engine::Run(argc > 1 ? argv[1] : "mpi", rank, world_size, argc > 2 ? std::atoi(argv[2]) : world_size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    exit_code = 1;
  }
  MPI_Finalize();
  return exit_code;
}
