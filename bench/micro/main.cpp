// Benchmarks of ZeRO-CTS. Every figure stands beside a bound or a peer that is measured in the same run.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "conformance/host/rank/worker.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "reference/numerics/arithmetic_canary.hpp"
#include "reference/ops/host_ops.hpp"

int main(int argc, char** argv) {
  // The conductor starts rank processes as `<this program> worker ...`.
  if (argc > 1 && std::string_view(argv[1]) == "worker") return zerocts::WorkerMain(argc - 1, argv + 1);

  const zerocts::ArithmeticReport arithmetic = zerocts::CheckArithmetic();
  if (!arithmetic.ok()) {
    std::fprintf(stderr, "error: %s\n", zerocts::Describe(arithmetic).c_str());
    return zerocts::kExitHarnessError;
  }
  benchmark::AddCustomContext("kernels", zerocts::ChosenHostKernels());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return zerocts::kExitUsage;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
