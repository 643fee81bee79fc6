// zerocts gpus: which GPUs this machine has, for people and for CTest, and a program on those that CTest gives a test.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/cli/become.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/machine/gpus.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/launchers/gpus_of_ctest.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kMostGpus = 1 << 20;

struct GpusOptions {
  std::string spec, at_least = "1";
  std::vector<std::string> program;
};

void Print(const GpuSurvey& survey) {
  for (const Gpu& gpu : survey.gpus) {
    fmt::print("{:>3}  {:<24} {:>7} MiB  driver {:<12} {}\n", gpu.index, gpu.name, gpu.memory_mib, gpu.driver,
               gpu.uuid);
  }
  if (survey.gpus.empty()) fmt::print("no GPU on this machine: {}\n", survey.why_none);
}

/// Why the program is not to be run; "" where it sees as many GPUs as it wants.
std::string TooFew(int wanted) {
  if (const std::optional<int> given = SeeOnlyGpusOfCtest()) {
    return *given >= wanted ? "" : fmt::format("{} GPUs are wanted, and CTest gave {}", wanted, *given);
  }
  const GpuSurvey survey = SurveyGpus();
  if (survey.gpus.empty()) return fmt::format("no GPU on this machine: {}", survey.why_none);
  const int count = static_cast<int>(survey.gpus.size());
  return count >= wanted ? "" : fmt::format("{} GPUs are wanted, and this machine has {}", wanted, count);
}

/// Becomes the program; gives an exit code where it does not.
int RunOnGpus(const GpusOptions& options, int wanted) {
  if (const std::string too_few = TooFew(wanted); !too_few.empty()) {
    fmt::print("not run: {}\n", too_few);
    return kExitNothingApplicable;
  }
  const std::string problem = Become(options.program);
  throw UsageError(fmt::format("gpus -- PROGRAM: expected a program that can be started, got '{}': {}",
                               options.program[0], problem));
}

int Survey(const GpusOptions& options, int wanted) {
  const GpuSurvey survey = SurveyGpus();
  if (!options.spec.empty()) WriteFile(options.spec, CtestResourceSpec(survey.gpus));
  Print(survey);
  return std::ssize(survey.gpus) < wanted ? kExitNothingApplicable : 0;
}

int Gpus(const GpusOptions& options) {
  const auto wanted = static_cast<int>(WholeNumber("--at-least", options.at_least, 1, kMostGpus));
  return options.program.empty() ? Survey(options, wanted) : RunOnGpus(options, wanted);
}

}  // namespace

void AddGpusCommand(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("gpus", "The GPUs of this machine; exit code 77 when there are too few");
  auto options = std::make_shared<GpusOptions>();
  command->add_option("--ctest-spec", options->spec,
                      "write a resource specification for ctest --resource-spec-file to this file");
  command->add_option("--at-least", options->at_least, "exit code 77 where there are fewer GPUs")
      ->capture_default_str();
  command->add_option("PROGRAM", options->program,
                      "after --: run it, and let it see the GPUs that CTest gave this test alone");
  command->callback([&exit_code, options] { exit_code = Gpus(*options); });
}

}  // namespace zerocts
