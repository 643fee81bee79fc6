// zerocts plan diff OLD NEW: which bytes move between which ranks when one plan replaces another.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/plan/plan_source.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/cost_words.hpp"
#include "conformance/plans/plan_file.hpp"
#include "conformance/plans/plan_text.hpp"

namespace zerocts {
namespace {

constexpr size_t kShownPairs = 20;

struct PlanDiffOptions {
  std::string before, after;
  bool json = false;
  CostWords words;
};

plan::Moves MovesOf(const PlanDiffOptions& options) {
  const plan::CostNumbers numbers = NumbersOf(options.words);
  const plan::Plan before = LoadPlan(options.before), after = LoadPlan(options.after);
  RequireSound(before, options.before);
  RequireSound(after, options.after);
  try {
    return MovesBetween(
        before, after,
        {.parameter = numbers.parameter_bytes, .optimizer = numbers.moment_bytes + numbers.master_bytes});
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("plan diff {} {}: {}", options.before, options.after, wrong.what()));
  }
}

}  // namespace

void AddPlanDiffCommand(CLI::App& plan, int& exit_code) {
  auto options = std::make_shared<PlanDiffOptions>();
  CLI::App* command = plan.add_subcommand(
      "diff",
      "Which bytes of parameters and optimizer state move when NEW replaces OLD; exit 0 nothing moves, 1 something");
  command->add_option("OLD", options->before, "A plan's file")->required();
  command->add_option("NEW", options->after, "The plan that replaces it")->required();
  command->add_option("--optimizer", options->words.optimizer, "adamw, adam, lamb, muon, sgd, sgd-momentum")
      ->capture_default_str();
  command->add_option("--precision", options->words.precision, "fp32, or mixed: with fp32 master weights");
  command->add_flag("--json", options->json, "All pairs of ranks for programs");
  command->callback([options, &exit_code] {
    const plan::Moves moves = MovesOf(*options);
    fmt::print("{}", options->json ? MovesJson(moves) : MovesText(moves, kShownPairs));
    exit_code = moves.total == 0 ? 0 : 1;
  });
}

}  // namespace zerocts
