// zerocts plan cost: bytes per rank, bytes per step, and their time on a link.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/plan/plan_source.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/cost_words.hpp"
#include "conformance/plans/plan_text.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

struct PlanCostOptions {
  bool json = false, each_rank = false;
  std::string scaling;
  CostWords words;
};

void AddNumbers(CLI::App& command, CostWords& words) {
  command.add_option("--optimizer", words.optimizer, "adamw, adam, lamb, muon, sgd, sgd-momentum: moments in fp32")
      ->capture_default_str();
  command.add_option(
      "--precision", words.precision,
      "fp32, or mixed: bf16 parameters and gradients with fp32 master weights; by default as the model says");
  command.add_option("--gradients", words.gradients, "Dtype of gradients as they are held, where it is another");
  command.add_option("--wire", words.wire, "Dtype of gradients as they travel, where it is another");
  command.add_option("--micro-batches", words.micro_batches, "Per rank and step")->check(CLI::Range(1, 64));
  command.add_flag("--reduce-each", words.reduce_each, "Reduce gradients after every micro-batch");
  command.add_flag("--all-reduce", words.all_reduce, "Every rank gets all gradients, as in CS336 and entrenar");
  command.add_option("--bucket", words.bucket, "Elements that travel together")->check(CLI::Range(0L, 1L << 40));
  command.add_option(
      "--link", words.link,
      "900GB/s, or 900GB/s,2us: of both directions together, and the latency of a message; between hosts "
      "as well: 900GB/s,2us:50GB/s,10us:8, with ranks per host");
}

plan::Plan SoundPlanOf(const PlanSource& source) {
  plan::Plan loaded = source.Load();
  RequireSound(loaded, source.file.empty() ? source.planner : source.file);
  return loaded;
}

plan::Costs CostsOrRefusal(const plan::Plan& plan, const plan::CostNumbers& numbers) {
  try {
    return CostsOf(plan, numbers);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("plan cost: {}", wrong.what()));
  }
}

std::string CostsOfOne(const PlanSource& source, const PlanCostOptions& options, const plan::CostNumbers& numbers) {
  const plan::Plan loaded = SoundPlanOf(source);
  const plan::Costs costs = CostsOrRefusal(loaded, numbers);
  return options.json ? CostsJson(costs) : CostsText(loaded, costs, options.each_rank);
}

std::string CostsAsRanksGrow(PlanSource source, const PlanCostOptions& options, const plan::CostNumbers& numbers) {
  if (!source.file.empty())
    throw UsageError(
        fmt::format("--scaling: expected --model with it, got the plan {}, which has its own ranks", source.file));
  std::vector<plan::Costs> by_ranks;
  for (const int ranks : NumberList("--scaling", options.scaling, 1, plan::kMostRanks)) {
    source.ranks = ranks;
    by_ranks.push_back(CostsOrRefusal(SoundPlanOf(source), numbers));
  }
  return options.json ? ScalingJson(by_ranks) : ScalingText(by_ranks);
}

}  // namespace

void AddPlanCostCommand(CLI::App& plan, int& exit_code) {
  auto options = std::make_shared<PlanCostOptions>();
  CLI::App* command =
      plan.add_subcommand("cost", "What a plan costs each rank: memory, traffic of a step, time on a link");
  auto source = AddPlanSource(*command, true);
  AddNumbers(*command, options->words);
  CLI::Option* each_rank = command->add_flag("--each-rank", options->each_rank, "A line per rank");
  command
      ->add_option("--scaling", options->scaling,
                   "1,8,64,512: a line for each of these numbers of ranks, how the costs grow")
      ->excludes(each_rank)
      ->excludes("--ranks");
  command->add_flag("--json", options->json, "All ranks for programs");
  command->callback([source, options, &exit_code] {
    const plan::CostNumbers numbers = NumbersOf(options->words);
    fmt::print("{}", options->scaling.empty() ? CostsOfOne(*source, *options, numbers)
                                              : CostsAsRanksGrow(*source, *options, numbers));
    exit_code = 0;
  });
}

}  // namespace zerocts
