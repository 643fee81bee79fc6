// zerocts plan fuzz: exit 0 all holds, 1 something does not, 2 something cannot be read, 4 the planner crashed or hung.
// zerocts plan answer: the process in which fuzz calls a plugin.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/plan_fuzz.hpp"
#include "reference/plan/ours/our_plans.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

struct PlanFuzzWords {
  PlanFuzzOptions options;
  std::string seed = "1", deadline = "10s", growth;
  std::vector<std::string> of_planner, without;
  long balance = -1;
  bool json = false;
  std::string junit;
};

void AddSpace(CLI::App& command, PlanFuzzWords& words) {
  PlanFuzzOptions& options = words.options;
  command.add_option("--stage", options.stages, "Stages that requests are drawn from")
      ->delimiter(',')
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command
      .add_option("--bucket", options.buckets,
                  "Bucket sizes that requests are drawn from, in elements; 0: the planner's own choice")
      ->delimiter(',')
      ->check(CLI::Range(int64_t{0}, plan::kMostElements));
  command.add_option("--alignment", options.alignments, "Alignments that requests are drawn from, in elements")
      ->delimiter(',')
      ->check(CLI::Range(int64_t{1}, plan::kMostElements));
  command.add_option("--most-tensors", options.most_tensors, "Of a model")->check(CLI::Range(0, 100'000));
  command.add_option("--most-ranks", options.most_ranks, "Of all replicas")->check(CLI::Range(1, 1 << 16));
  command.add_option("--option", words.of_planner, "NAME=VALUE, passed on to the planner");
}

void AddBounds(CLI::App& command, PlanFuzzWords& words) {
  command.add_option("--balance", words.balance, "Of one state two shards may differ by so many elements")
      ->check(CLI::Range(0L, 1L << 56));
  command.add_option(
      "--growth", words.growth,
      "By so many elements a rank may need more memory on more ranks; any: this is not asked. By default "
      "0, and any for our plans by owner");
  command.add_option("--without", words.without, "Properties that are not asked, such as 'names do not matter'")
      ->delimiter(',');
}

/// Plans by owner put whole tensors together, so more ranks may need more memory.
std::optional<int64_t> GrowthOf(const PlanFuzzWords& words) {
  if (words.growth == "any" || (words.growth.empty() && plan::MayGrowWithRanks(words.options.planner)))
    return std::nullopt;
  return words.growth.empty() ? 0 : WholeNumber("--growth", words.growth, 0, plan::kMostElements);
}

PlanFuzzOptions OptionsOf(const PlanFuzzWords& words) {
  PlanFuzzOptions options = words.options;
  options.seed = SeedFrom("--seed", words.seed);
  options.deadline = Duration("--deadline", words.deadline);
  options.growth = GrowthOf(words);
  if (words.balance >= 0) options.balance = words.balance;
  options.without.insert(words.without.begin(), words.without.end());
  for (const std::string& word : words.of_planner) options.options.insert(KeyAndValue("--option", word));
  return options;
}

}  // namespace

void AddPlanFuzzCommand(CLI::App& plan, int& exit_code) {
  auto words = std::make_shared<PlanFuzzWords>();
  CLI::App* command = plan.add_subcommand("fuzz",
                                          "Ask a planner for plans of models and ranks at random, and judge them: exit "
                                          "0 sound, 1 not, 4 it crashed or hung");
  PlanFuzzOptions& options = words->options;
  command
      ->add_option(
          "--planner", options.planner,
          fmt::format("A command that answers a line of JSON per line of JSON, plugin:PATH (zerocts_planner.h), "
                      "one of {}, or a framework's, such as torch-fsdp2",
                      fmt::join(plan::PlannerNames(), ", ")))
      ->required();
  command->add_option("--cases", options.cases, "At random, behind those of the corpus")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command->add_option("--seed", words->seed, "Of the cases; random: a new one, which the report names")
      ->capture_default_str();
  command->add_option("--deadline", words->deadline, "For one answer")->capture_default_str();
  command->add_option("--corpus", options.corpus, "A request's file, or a folder of *.request.json: asked first");
  command->add_option("--out", options.out, "Folder for counterexamples")->capture_default_str();
  command->add_flag("--json", words->json, "The report for programs");
  command->add_option("--junit", words->junit, "Write a test case per property to this file, for CI");
  AddSpace(*command, *words);
  AddBounds(*command, *words);
  command->callback([words, &exit_code] {
    const PlanFuzzReport report = FuzzPlanner(OptionsOf(*words));
    if (!words->junit.empty()) WriteFile(words->junit, report.junit);
    fmt::print("{}", words->json ? report.json : report.text);
    exit_code = report.exit_code;
  });
}

void AddPlanAnswerCommand(CLI::App& plan, int& exit_code) {
  auto path = std::make_shared<std::string>();
  CLI::App* command =
      plan.add_subcommand("answer", "Answer planning requests of standard input through a plugin, a line each");
  command->add_option("PLUGIN", *path, "A library that exports zerocts_plan_v1 (zerocts_planner.h)")->required();
  command->callback([path, &exit_code] {
    AnswerThroughPlugin(*path);
    exit_code = 0;
  });
}

}  // namespace zerocts
