// zerocts plan read: a checkpoint on disk as a plan; exit 0 sound, 1 not, 2 cannot be read, 3 no reader.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/reading.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {

void AddPlanReadCommand(CLI::App& plan, int& exit_code) {
  struct Options {
    std::string path, out;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = plan.add_subcommand(
      "read",
      "Who owns what in a checkpoint on disk, and is it whole? Nothing in it is executed: exit 0 sound, 1 not, "
      "2 it cannot be read, 3 its reader does not work here");
  command
      ->add_option(
          "CHECKPOINT", options->path,
          "Folder or file of torch DCP, Megatron, DeepSpeed, orbax, safetensors, a Hugging Face index, or our engine")
      ->required();
  command->add_flag("--json", options->json, "What was read and the verdict, for programs");
  command->add_option("--out", options->out, "Write the plan to this file, for verify, cost, draw and diff");
  command->callback([options, &exit_code] {
    const read::Reading reading = read::ReadCheckpoint(options->path);
    const std::string problem = plan::Problem(reading.plan);
    if (!problem.empty()) throw UsageError(fmt::format("checkpoint {}: {}", options->path, problem));
    const plan::Verdict verdict = plan::Judge(reading.plan);
    if (!options->out.empty()) WriteFile(options->out, JsonText(reading.plan));
    fmt::print("{}", options->json ? ReadingJson(reading, verdict) : ReadingText(reading, verdict));
    exit_code = IsSound(reading, verdict) ? 0 : 1;
  });
}

}  // namespace zerocts
