// zerocts_subject_bench, which is `zerocts bench`, and a rank of what it measures.
#include <cstring>

#include "bench/command/bench_program.hpp"
#include "conformance/host/rank/worker.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  return zerocts::BenchMain(argc, argv);
}
