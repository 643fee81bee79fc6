// zerocts gpus: which GPUs this machine has, for people and for CTest.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/gpus.hpp"
#include "conformance/host/group.hpp"

namespace zerocts {
namespace {

constexpr int kNothingApplicable = 77;

void WriteSpec(const std::string& file, const std::vector<Gpu>& gpus) {
  std::ofstream out(file);
  out << CtestResourceSpec(gpus);
  if (!out.flush()) throw UsageError(fmt::format("--ctest-spec: expected a file that can be written, got {}", file));
}

}  // namespace

void AddGpusCommand(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("gpus", "The GPUs of this machine; exit code 77 when there are none");
  auto spec = std::make_shared<std::string>();
  command->add_option("--ctest-spec", *spec, "write a resource specification for ctest --resource-spec-file to this file");
  command->callback([&exit_code, spec] {
    const GpuSurvey survey = SurveyGpus();
    if (!spec->empty()) WriteSpec(*spec, survey.gpus);
    for (const Gpu& gpu : survey.gpus) {
      fmt::print("{:>3}  {:<24} {:>7} MiB  driver {:<12} {}\n", gpu.index, gpu.name, gpu.memory_mib, gpu.driver, gpu.uuid);
    }
    if (survey.gpus.empty()) fmt::print("no GPU on this machine: {}\n", survey.why_none);
    exit_code = survey.gpus.empty() ? kNothingApplicable : 0;
  });
}

}  // namespace zerocts
