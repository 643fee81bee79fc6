// The engine's costs of its layouts against those of anybody's plans, which are counted in another way.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "impl/layout/plan_costs.hpp"
#include "impl/layout/plans.hpp"
#include "reference/plan/costs/costs.hpp"
#include "reference/plan/ours/our_plans.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::engine {
namespace {

plan::Plan PlanOf(const PlanRequest& request, const CostSettings& settings) {
  plan::Model model;
  for (const PlanParameter& parameter : request.parameters)
    model.push_back({.name = parameter.name, .shape = parameter.shape});
  return plan::MakePlan({.planner = request.plan,
                         .model = model,
                         .stage = settings.stage,
                         .ranks = settings.replicas * request.shards,
                         .replicas = settings.replicas});
}

void ExpectSame(const PlannedTraffic& engines, const plan::Traffic& plans) {
  RC_ASSERT(engines.sent_bytes == plans.sent);
  RC_ASSERT(engines.received_bytes == plans.received);
}

/// Parameters of two blocks and of none, some without elements.
PlanRequest AnyRequest(const std::string& plan) {
  PlanRequest request{.plan = plan,
                      .shards = *rc::gen::oneOf(rc::gen::inRange(1, 6), rc::gen::element(8, 16, 64, 256, 512))};
  for (const char* name : {"wte", "h.0.w", "h.1.w", "h.1.b", "ln_f.w"})
    request.parameters.push_back({name, {*rc::gen::inRange(0, 12), *rc::gen::inRange(1, 5)}});
  return request;
}

CostSettings AnySettings() {
  return {.stage = *rc::gen::inRange(1, 4),
          .micro_batches = *rc::gen::inRange(1, 4),
          .reduce_each_micro_batch = *rc::gen::arbitrary<bool>(),
          .replicas = *rc::gen::inRange(1, 4)};
}

void ExpectSameCosts(const PlanRequest& request, const CostSettings& settings) {
  const PlanCosts engines = CostsOf(MakeLayout(request), settings);
  const plan::Costs costs = plan::CostsOf(
      PlanOf(request, settings),
      {.micro_batches = settings.micro_batches, .reduce_each_micro_batch = settings.reduce_each_micro_batch});
  RC_ASSERT(engines.ranks.size() == costs.ranks.size());
  for (size_t r = 0; r < costs.ranks.size(); ++r) {
    const RankCosts& engine = engines.ranks[r];
    const plan::RankCosts& plan = costs.ranks[r];
    RC_ASSERT(engine.parameter_bytes == plan.parameters);
    RC_ASSERT(engine.gradient_bytes == plan.gradients);
    RC_ASSERT(engine.optimizer_bytes == plan.optimizer());
    ExpectSame(engine.reduce_scatter, plan.of(plan::Collective::kGradients));
    ExpectSame(engine.all_gather, plan.of(plan::Collective::kParameters));
    ExpectSame(engine.replica_all_reduce, plan.of(plan::Collective::kReplicas));
  }
}

/// Parameter, begin and end of what each shard holds.
using Held = std::vector<std::set<std::tuple<int, int64_t, int64_t>>>;

Held HeldBy(const Layout& layout) {
  Held held(layout.shards());
  for (int shard = 0; shard < layout.shards(); ++shard) {
    for (const Piece& piece : layout.PiecesOf(shard)) held[shard].insert({piece.parameter, piece.begin, piece.end});
  }
  return held;
}

Held HeldBy(const plan::Plan& plan) {
  Held held(plan.mesh.world_size());
  const plan::RankRuns runs(plan, plan::State::kParameters);
  for (int rank = 0; rank < plan.mesh.world_size(); ++rank)
    runs.ForEach(rank, [&](const plan::Run& run) { held[rank].insert({run.tensor, run.begin, run.end}); });
  return held;
}

RC_GTEST_PROP(CostsOfALayout, AreThoseOfItsPlan, ()) {
  RC_ASSERT(PlanNames() == plan::PlannerNames());
  for (const std::string& name : PlanNames()) ExpectSameCosts(AnyRequest(name), AnySettings());
}

RC_GTEST_PROP(ALayout, HoldsWhatItsPlanHolds, ()) {
  for (const std::string& name : PlanNames()) {
    const PlanRequest request = AnyRequest(name);
    RC_ASSERT(HeldBy(MakeLayout(request)) == HeldBy(PlanOf(request, {.stage = 3})));
  }
}

}  // namespace
}  // namespace zerocts::engine
