// The layers under mpirun. No GoogleTest: ranks that write one report destroy it. Exit code 0 when every rank is
// content.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

#include "impl/device/for_test/poisoned_memory.hpp"
#include "impl/tensor_parallel/for_test/layer_runs.hpp"
#include "impl/tensor_parallel/for_test/model_runs.hpp"

namespace zerocts::engine {
namespace {

void Run(int rank, int world_size) {
  PoisonedMemory memory;
  const auto device = MakeHostDevice(memory, {});
  CommunicatorSettings settings;
  settings.rank = rank;
  settings.world_size = world_size;
  settings.device = device.get();
  const auto stream = device->MakeStream(StreamRole::kCompute);
  const auto comm = MakeCommunicator("mpi", settings);
  for (const LinearShape& shape : LayersToCheck()) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      try {
        CheckLayer(shape, precision, *comm, *stream);
      } catch (const std::exception& difference) {
        throw std::runtime_error(NameOf(shape, precision) + ": " + difference.what());
      }
    }
  }
  for (const bool tied : {true, false}) {
    const GptSpec gpt{.vocab = 7,
                      .context = 5,
                      .layers = 2,
                      .heads = 12,
                      .kv_heads = tied ? 12 : 6,
                      .width = 24,
                      .tied = tied,
                      .slice_order = {tied ? 12 : 6},
                      .sequence_parallel = true};
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) CheckModel(gpt, precision, *comm, *stream);
  }
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  int provided = 0, rank = 0, world_size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  int exit_code = 0;
  try {
    zerocts::engine::Run(rank, world_size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    exit_code = 1;
  }
  MPI_Finalize();
  return exit_code;
}
