// zerocts plan verify: exit 0 sound, 1 not, 2 cannot be read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/plan/plan_source.hpp"
#include "conformance/plans/plan_text.hpp"

namespace zerocts {

void AddPlanVerifyCommand(CLI::App& plan, int& exit_code) {
  struct Options {
    bool json = false;
    std::string junit;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = plan.add_subcommand(
      "verify", "Is a plan sound? Coverage, disjointness and eight more: exit 0 sound, 1 not, 2 it cannot be read");
  auto source = AddPlanSource(*command, true);
  command->add_flag("--json", options->json, "The verdict for programs");
  command->add_option("--junit", options->junit, "Write a test case per property to this file, for CI");
  command->callback([source, options, &exit_code] {
    const plan::Plan loaded = source->Load();
    const plan::Verdict verdict = plan::Judge(loaded);
    if (!options->junit.empty())
      WriteFile(options->junit, VerdictJUnit(source->file.empty() ? source->planner : source->file, verdict));
    fmt::print("{}", options->json ? VerdictJson(verdict) : VerdictText(loaded, verdict));
    if (!options->json && source->guesses_model())
      fmt::print("note: sizes are guessed from {}: without --model, a missing tail is not seen\n", source->file);
    exit_code = verdict.sound() ? 0 : 1;
  });
}

}  // namespace zerocts
