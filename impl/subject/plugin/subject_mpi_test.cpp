// The built plugin with comm=mpi under mpirun: opened privately as a worker does, so Open MPI must find its own symbols
// all the same. No GoogleTest: ranks that write one report destroy it. Exit code 0 when this rank is content.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "impl/subject/for_test/subject_host.hpp"

namespace zerocts::engine {
namespace {

void Check(const zerocts_subject& subject, zerocts_status* status) {
  if (status) throw std::runtime_error(subject.status_message(status));
}

void Train(const zerocts_subject& subject, uint32_t rank, uint32_t world_size) {
  TestStore store;
  SubjectHostForTest host(store);
  OpenForTest open(host.table(), rank, world_size, {5, 2});
  open.host.ranks_share_process = 0;
  open.AddOption("comm", "mpi");
  Check(subject, subject.open(&open.args));

  const std::vector<float> gradients(5, 2.0f);
  const void* pointers[] = {gradients.data(), gradients.data()};
  zerocts_accumulate_args accumulate{sizeof accumulate, open.args.engine, 0, 0, 2, pointers};
  Check(subject, subject.accumulate(&accumulate));
  zerocts_step_args step{sizeof step, open.args.engine, 0};
  Check(subject, subject.step(&step));

  std::vector<float> parameter(5);
  zerocts_read_parameter_args read{sizeof read, open.args.engine, 0, 0, parameter.data(), 5 * sizeof(float)};
  Check(subject, subject.read_parameter(&read));
  if (parameter != std::vector<float>(5, 0.0f)) throw std::runtime_error("expected 1 - 0.5 * 2 everywhere");

  zerocts_memory_args memory{sizeof memory, open.args.engine};
  Check(subject, subject.memory(&memory));
  if (static_cast<int64_t>(memory.buffer_bytes) != host.held_bytes()[ZEROCTS_MEMORY_BUFFER]) {
    throw std::runtime_error("buffer_bytes reported is not what is held");
  }
  subject.close(open.args.engine);
  if (host.held_bytes() != std::vector<int64_t>(4)) throw std::runtime_error("memory is left over after close");
}

void Run() {
  const zerocts_subject& subject = Native();
  const auto rank = static_cast<uint32_t>(std::atoi(std::getenv("OMPI_COMM_WORLD_RANK")));
  const auto world_size = static_cast<uint32_t>(std::atoi(std::getenv("OMPI_COMM_WORLD_SIZE")));
  for (int opened = 0; opened < 2; ++opened) Train(subject, rank, world_size);
  subject.shutdown();
}

}  // namespace
}  // namespace zerocts::engine

int main() {
  try {
    zerocts::engine::Run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
