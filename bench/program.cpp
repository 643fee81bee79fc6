#include "bench/program.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "conformance/host/system/exit_codes.hpp"
#include "impl/layout/plans.hpp"
#include "reference/numerics/arithmetic_canary.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

std::string CpuName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
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
  program.add_option("--out", options.out, "Folder for JSON and pictures");
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
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return kExitHarnessError;
  }
}

void WriteOut(const ProgramOptions& options, const std::string& name, const std::string& text) {
  if (options.out.empty()) return;
  const std::filesystem::path path = std::filesystem::path(options.out) / name;
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  std::ofstream file(path, std::ios::trunc);
  file << text;
  if (!file.flush()) {
    throw std::runtime_error(
        fmt::format("--out: expected a folder that can be written, got {}; choose another place", options.out));
  }
  fmt::print("written: {}\n", path.string());
}

nlohmann::json Circumstances() {
  double load[1] = {0};
  getloadavg(load, 1);
  return {{"cpu", CpuName()},
          {"cores", std::thread::hardware_concurrency()},
          {"kernels", ChosenHostKernels()},
          {"date", fmt::format("{:%Y-%m-%d %H:%M:%S UTC}", fmt::gmtime(std::time(nullptr)))},
          {"load_before", load[0]}};
}

std::string Describe(const nlohmann::json& c) {
  return fmt::format("{}, {} cores, kernels {}, {}, load before {:.1f}", c.at("cpu").get<std::string>(),
                     c.at("cores").get<int>(), c.at("kernels").get<std::string>(), c.at("date").get<std::string>(),
                     c.at("load_before").get<double>());
}

}  // namespace zerocts
