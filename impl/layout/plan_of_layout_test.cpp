// The engine's costs of its layouts against those of anybody's plans, which are counted in another way.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "impl/layout/plan_costs.hpp"
#include "impl/layout/plans.hpp"
#include "reference/plan/costs.hpp"

namespace zerocts::engine {
namespace {

struct SamePlan {
  const char* name;
  bool each;
  plan::Rule rule;
};

plan::Plan PlanOf(const SamePlan& same, const PlanRequest& request, const CostSettings& settings) {
  plan::Model model;
  for (const PlanParameter& parameter : request.parameters)
    model.push_back({.name = parameter.name, .shape = parameter.shape});
  const plan::Division division{
      .tensors = {{0, static_cast<int32_t>(model.size())}}, .each = same.each, .rule = same.rule};
  const auto from = [&](int stage) { return settings.stage >= stage ? 0 : plan::Plan::kWhole; };
  return {.model = model,
          .mesh = HybridMesh(settings.replicas, request.shards),
          .shardings = {{{"shard"}, {division}}},
          .sharding_of = {from(3), from(2), from(1)}};
}

void ExpectSame(const PlannedTraffic& engines, const plan::Traffic& plans) {
  RC_ASSERT(engines.sent_bytes == plans.sent);
  RC_ASSERT(engines.received_bytes == plans.received);
}

RC_GTEST_PROP(CostsOfALayout, AreThoseOfItsPlan, ()) {
  const std::vector<SamePlan> plans = {{"contiguous", false, plan::Even{}},
                                       {"per-parameter", true, plan::Ceil{}},
                                       {"per-parameter-rows", true, plan::Rows{}}};
  const SamePlan same = plans[*rc::gen::inRange<size_t>(0, plans.size())];
  PlanRequest request{.plan = same.name, .shards = *rc::gen::inRange(1, 6)};
  for (int p = 0; p < 3; ++p)
    request.parameters.push_back({std::to_string(p), {*rc::gen::inRange(1, 12), *rc::gen::inRange(1, 5)}});
  const CostSettings settings{.stage = *rc::gen::inRange(1, 4),
                              .micro_batches = *rc::gen::inRange(1, 4),
                              .reduce_each_micro_batch = *rc::gen::arbitrary<bool>(),
                              .replicas = *rc::gen::inRange(1, 4)};
  const PlanCosts engines = CostsOf(MakeLayout(request), settings);
  const plan::Costs costs = plan::CostsOf(
      PlanOf(same, request, settings),
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

}  // namespace
}  // namespace zerocts::engine
