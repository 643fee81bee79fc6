#include "conformance/cli/plan/plan_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/ask_planner.hpp"
#include "conformance/plans/models.hpp"
#include "conformance/plans/plan_file.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/ours/our_plans.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts {
namespace {

RestOwners OwnersOf(const PlanSource& source) {
  RestOwners rest;
  for (const std::string& word : Words(source.owners)) {
    if (word == "balanced") {
      rest.balanced = true;
      continue;
    }
    const auto [name, rank] = KeyAndValue("--owners", word);
    int* owner = name == "embedding" ? &rest.embedding
                 : name == "norm"    ? &rest.norm
                 : name == "head"    ? &rest.head
                                     : nullptr;
    if (!owner)
      throw UsageError(fmt::format("--owners: expected embedding=, norm=, head=, or balanced, got '{}'", word));
    *owner = static_cast<int>(WholeNumber("--owners", rank, 0, plan::kMostRanks));
  }
  return rest;
}

void RefuseWhatDoesNothing(const PlanSource& source) {
  if (source.alignment != 1 && source.planner != "padded")
    throw UsageError(fmt::format("--alignment: expected --plan padded with it, got {}", source.planner));
  if (!source.owners.empty() && !source.planner.starts_with("block-"))
    throw UsageError(fmt::format("--owners: expected a block plan with it, got {}", source.planner));
}

bool IsOurs(const std::string& planner) {
  return std::ranges::find(plan::PlannerNames(), planner) != plan::PlannerNames().end();
}

plan::Plan MadeByFramework(const PlanSource& source) {
  if (source.ranks % source.replicas != 0)
    throw UsageError(fmt::format("--replicas: expected a divisor of {} ranks, got {}", source.ranks, source.replicas));
  return AskPlanner(source.planner, ModelNamed(source.model), source.replicas, source.ranks / source.replicas,
                    source.stage);
}

plan::Plan Made(const PlanSource& source) {
  if (source.model.empty()) throw UsageError("expected a plan's file, or --model and --ranks, got neither");
  if (source.ranks < 1) throw UsageError("--ranks: expected how many ranks the plan is for, from 1; got none");
  RefuseWhatDoesNothing(source);
  if (!IsOurs(source.planner) && std::ranges::count(PlannersByName(), source.planner) > 0)
    return MadeByFramework(source);
  const plan::PlanRequest request{.planner = source.planner,
                                  .model = ModelNamed(source.model),
                                  .stage = source.stage,
                                  .ranks = source.ranks,
                                  .replicas = source.replicas,
                                  .alignment = source.alignment,
                                  .rest = OwnersOf(source)};
  try {
    return MakePlan(request);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(wrong.what());
  }
}

}  // namespace

plan::Plan PlanSource::Load() const {
  if (file.empty()) return Made(*this);
  const bool takes_model = file.ends_with(".csv");
  for (const CLI::Option* option : options) {
    if (option->count() > 0 && !(takes_model && option->get_name() == "--model"))
      throw UsageError(
          fmt::format("{}: expected none beside the plan {}, which has its own", option->get_name(), file));
  }
  return model.empty() ? LoadPlan(file) : LoadPlan(file, ModelNamed(model));
}

std::shared_ptr<PlanSource> AddPlanSource(CLI::App& command, bool takes_file) {
  auto source = std::make_shared<PlanSource>();
  if (takes_file)
    command.add_option("PLAN", source->file,
                       "A plan: JSON, CSV (.csv) or DeepSpeed's affine map; or make one by options");
  const size_t others = command.get_options().size();
  command.add_option("--model", source->model, ModelChoices());
  command
      .add_option("--plan", source->planner,
                  fmt::format("{}, or a framework's, such as torch-fsdp2", fmt::join(plan::PlannerNames(), ", ")))
      ->capture_default_str();
  command.add_option("--ranks", source->ranks, "Ranks of all replicas")->check(CLI::Range(1, plan::kMostRanks));
  command.add_option("--replicas", source->replicas, "Groups of ranks; each group divides among its own ranks")
      ->check(CLI::Range(1, plan::kMostRanks));
  command
      .add_option("--stage", source->stage, "0 divides nothing, 1 optimizer state, 2 gradients too, 3 parameters too")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command.add_option("--alignment", source->alignment, "Of plan padded: parts begin at multiples of so many elements")
      ->check(CLI::Range(1L, 1L << 40));
  command.add_option("--owners", source->owners,
                     "Of the block plans: embedding=RANK,norm=RANK,head=RANK, or balanced; rank 0 by default");
  const std::vector<CLI::Option*> all = command.get_options();
  source->options.assign(all.begin() + static_cast<ptrdiff_t>(others), all.end());
  return source;
}

void RequireSound(const plan::Plan& plan, const std::string& name) {
  const plan::Verdict verdict = plan::Judge(plan);
  if (verdict.sound()) return;
  throw UsageError(fmt::format("plan {}: expected a sound one, got {}; see zerocts plan verify", name,
                               ToString(verdict.firsts.front())));
}

}  // namespace zerocts
