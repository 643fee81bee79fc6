// zerocts_subject_bench, which is `zerocts bench` (speed and memory of any subject, alone or beside another one), and a
// rank of what it measures.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "bench/subject/group_measurement.hpp"
#include "bench/subject/subject_bench.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/rank/worker.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"
#include "reference/numerics/arithmetic_canary.hpp"

namespace zerocts {
namespace {

/// Gives its exit code.
int BenchMain(int argc, char** argv) {
  CLI::App program("Measures a subject: the same without sharding, native and the machine's bound beside it.",
                   "zerocts bench");
  int exit_code = kExitHarnessError;
  BenchOptions options;
  AddBenchOptions(program, options);
  AddCompareCommand(program, options, exit_code);
  program.require_subcommand(0, 1);
  program.footer(
      "zerocts bench history RECORDS.. --page FILE.html, zerocts bench pictures RECORDS.. --out FOLDER and\n"
      "zerocts bench export RECORDS.. --to FORMAT --out FOLDER show records that were measured; zerocts bench ctest\n"
      "measures in a test of CTest; --help of each says more.");
  try {
    program.parse(argc, argv);
    const ArithmeticReport arithmetic = CheckArithmetic();
    if (!arithmetic.ok()) throw HarnessError(Describe(arithmetic));
    return program.get_subcommands().empty() ? MeasureSubject(options) : exit_code;
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return SayError(kExitUsage, fmt::format("{}; see zerocts bench --help", error.what()));
  } catch (const UsageError& error) {
    return SayError(kExitUsage, error.what());
  } catch (const RanksLost& error) {
    return SayError(kExitCrashOrHang, error.what());
  } catch (const StartEnded& ended) {
    return SayError(ExitCodeOf(ResultOf(ended.end.result.ending)), ended.what());
  } catch (const std::exception& error) {
    return SayError(kExitHarnessError, error.what());
  }
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  return zerocts::BenchMain(argc, argv);
}
