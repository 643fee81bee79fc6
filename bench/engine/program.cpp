#include "bench/engine/program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/record/record_file.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "impl/layout/plans.hpp"
#include "reference/experiment/user_file.hpp"
#include "reference/numerics/arithmetic_canary.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

std::filesystem::path FolderOf(const ProgramOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  return options.out;
}

}  // namespace

std::vector<Precision> ProgramOptions::AllPrecisions() const {
  std::vector<Precision> all;
  for (const std::string& name : precisions) all.push_back(PrecisionFromString(name));
  return all;
}

void AddOptions(CLI::App& program, ProgramOptions& options) {
  program.add_option("--model", options.model, "Sizes of the parameters")
      ->check(CLI::IsMember({"tiny", "small", "gpt2-124m"}))
      ->capture_default_str();
  program.add_option("--ranks", options.ranks, "Ranks on this machine")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  program.add_option("--stages", options.stages, "Stages, with commas between")
      ->delimiter(',')
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  program.add_option("--precision", options.precisions, "fp32 or bf16 parameters, with commas between")
      ->delimiter(',')
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  program.add_option("--plan", options.plan, "How parameters are divided over ranks")
      ->check(CLI::IsMember(engine::PlanNames()))
      ->capture_default_str();
  program.add_option("--steps", options.steps, "Steps that are measured, after one that is not")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  program.add_option("--out", options.out, "Folder for records (records.ndjson, which grows) and pictures");
}

void AddTurns(CLI::App& program, TurnOptions& turns) {
  program.add_option("--rounds", turns.rounds, "Turns of all configurations")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  program.add_option("--transport", turns.transport, "Ranks are threads (threads) or processes (shm)")
      ->check(CLI::IsMember({"threads", "shm"}))
      ->capture_default_str();
}

int RunProgram(CLI::App& program, int argc, char** argv, const std::function<int()>& body) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: {}; see --help\n", error.what());
    return kExitUsage;
  }
  try {
    const ArithmeticReport arithmetic = CheckArithmetic();
    if (!arithmetic.ok()) throw std::runtime_error(Describe(arithmetic));
    return body();
  } catch (const UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kExitHarnessError;
  }
}

void WriteOut(const ProgramOptions& options, const std::string& name, const std::string& text) {
  if (options.out.empty()) return;
  const std::filesystem::path path = FolderOf(options) / name;
  if (ReplaceFile(path, {text}) != 0) {
    throw std::runtime_error(
        fmt::format("--out: expected a folder that can be written, got {}; choose another place", options.out));
  }
  fmt::print("written: {}\n", path.string());
}

int WriteRecords(const ProgramOptions& options, const Figures& figures) {
  if (!options.out.empty()) {
    const std::string path = (FolderOf(options) / "records.ndjson").string();
    AppendRecords(path, figures.records());
    fmt::print("added: {} records to {}\n", figures.records().size(), path);
  }
  return figures.failed() ? kExitHarnessError : 0;
}

Parameters ParametersOf(const ProgramOptions& options, const Workload& workload) {
  return {{"model", workload.model}, {"ranks", options.ranks}, {"precision", ToString(workload.precision)},
          {"stage", workload.stage}, {"plan", workload.plan},  {"overlap", workload.overlap}};
}

std::string Circumstances() {
  double load[1] = {0};
  getloadavg(load, 1);
  const RecordedMachine machine = MachineOfRecords();
  return fmt::format("{}, {} cores, kernels {}, {}, load before {:.1f}", machine.cpu, machine.cores,
                     ChosenHostKernels(), DateOfRecords(), load[0]);
}

}  // namespace zerocts
