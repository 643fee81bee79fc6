// A plan from a file, of any maker: any cuts that reference/plan can say and that its judge finds sound.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "impl/layout/layout_builder.hpp"
#include "impl/layout/plan_families.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::engine {
namespace {

using plan::State;

/// Elements [begin, end) of a parameter, and whose they are.
struct Share {
  int64_t begin = 0, end = 0;
  int shard = 0;
  friend bool operator==(const Share&, const Share&) = default;
};
using Shares = std::vector<std::vector<Share>>;  // [parameters], ascending

[[noreturn]] void ThrowUnfit(const std::string& what) { throw std::invalid_argument("plan file: " + what); }

plan::Plan PlanIn(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) ThrowUnfit(path + ": expected a file that can be read");
  try {
    return plan::PlanFromText(*text);
  } catch (const std::invalid_argument& wrong) {
    ThrowUnfit(path + ": " + wrong.what());
  }
}

void RequireSound(const plan::Plan& plan) {
  const plan::Verdict verdict = plan::Judge(plan);
  if (verdict.sound()) return;
  ThrowUnfit(
      fmt::format("it is not sound: {}; `zerocts plan verify` says more", plan::ToString(verdict.firsts.front())));
}

/// Counts the elements that a tensor has of its own: none where it is another name.
int64_t StoredNumel(const plan::Tensor& tensor) { return tensor.tied_to < 0 ? tensor.numel() : 0; }

/// Those of the plan that are this model's parameters, which may have a place for each name of a tensor or for one.
std::vector<int32_t> TensorsOf(const plan::Plan& plan, const PlanRequest& request) {
  const bool every_name = plan.model.size() == request.parameters.size();
  std::vector<int32_t> tensors;
  for (int32_t t = 0; t < std::ssize(plan.model); ++t)
    if (every_name || plan.model[t].tied_to < 0) tensors.push_back(t);
  if (tensors.size() != request.parameters.size())
    ThrowUnfit(
        fmt::format("it divides {} tensors: expected the {} of this model", tensors.size(), request.parameters.size()));
  for (size_t p = 0; p < tensors.size(); ++p) {
    const plan::Tensor& tensor = plan.model[tensors[p]];
    if (StoredNumel(tensor) != request.parameters[p].numel())
      ThrowUnfit(fmt::format("its tensor {} has {} elements of its own: expected {}, as parameter {} has", tensor.name,
                             StoredNumel(tensor), request.parameters[p].numel(), request.parameters[p].name));
  }
  return tensors;
}

/// The engine numbers ranks along (replicate, shard): shard s is rank s of each replica.
void RequireOurMesh(const plan::Plan& plan, const plan::Sharding& sharding, int shards) {
  const plan::Group group(plan.mesh, sharding.axes);
  if (group.shards() != shards)
    ThrowUnfit(fmt::format("it has {} shards: expected {}, as many as this run", group.shards(), shards));
  for (int rank = 0; rank < group.world_size(); ++rank)
    if (group.ShardOf(rank) != rank % shards)
      ThrowUnfit(
          fmt::format("rank {} has shard {}: expected shard {}; name the axes along which the state is divided "
                      "last in the mesh",
                      rank, group.ShardOf(rank), rank % shards));
}

Shares SharesOf(const plan::Plan& plan, State state, const std::vector<int32_t>& tensors) {
  std::vector<int> parameter_of(plan.model.size(), -1);
  for (size_t p = 0; p < tensors.size(); ++p) parameter_of[tensors[p]] = static_cast<int>(p);
  Shares shares(tensors.size());
  const plan::Group group(plan.mesh, plan.sharding(state)->axes);
  const plan::RankRuns runs(plan, state);
  for (int shard = 0; shard < group.shards(); ++shard) {
    runs.ForEach(group.FirstRankOf(shard), [&](const plan::Run& run) {
      if (run.begin < run.end) shares[parameter_of[run.tensor]].push_back({run.begin, run.end, shard});
    });
  }
  for (auto& of_parameter : shares)
    std::sort(of_parameter.begin(), of_parameter.end(),
              [](const Share& a, const Share& b) { return a.begin < b.begin; });
  return shares;
}

/// By whom the elements are owned, in whichever states are divided: the engine divides all alike. Where no state of a
/// frozen tensor is divided, shard 0 holds it.
Shares SharesOf(const plan::Plan& plan, const std::vector<int32_t>& tensors, int shards) {
  std::optional<Shares> owned;
  for (const State state : plan::kStates) {
    if (!plan.sharding(state)) continue;
    RequireOurMesh(plan, *plan.sharding(state), shards);
    const Shares shares = SharesOf(plan, state, tensors);
    if (!owned) owned = shares;
    for (size_t p = 0; p < tensors.size(); ++p)
      if (plan::Needs(plan.model[tensors[p]], state) && shares[p] != (*owned)[p])
        ThrowUnfit(fmt::format("it divides {} of {} unlike another state: this engine divides all states alike",
                               plan::NameOf(state), plan.model[tensors[p]].name));
  }
  if (!owned) ThrowUnfit("it divides nothing: expected a plan that divides at least the optimizer state");
  for (size_t p = 0; p < tensors.size(); ++p) {
    const int64_t numel = StoredNumel(plan.model[tensors[p]]);
    if ((*owned)[p].empty() && numel > 0) (*owned)[p] = {{0, numel, 0}};
  }
  return *owned;
}

/// As many cuts as the shards begin anew: one where each has one range, in their order.
void CloseCuts(LayoutBuilder& builder, int64_t begin, const std::vector<Share>& shares, int shards) {
  for (size_t next = 0; next < shares.size();) {
    int64_t end = begin + shares[next].begin;
    std::vector<int64_t> ends;
    for (int shard = 0; shard < shards; ++shard) {
      if (next < shares.size() && shares[next].shard == shard) end = begin + shares[next++].end;
      ends.push_back(end);
    }
    builder.CloseCut(ends);
  }
}

}  // namespace

Layout PlanOfFile(const PlanRequest& request) {
  const plan::Plan plan = PlanIn(request.plan.substr(kPlanFilePrefix.size()));
  RequireSound(plan);
  const std::vector<int32_t> tensors = TensorsOf(plan, request);
  const Shares shares = SharesOf(plan, tensors, request.shards);
  LayoutBuilder builder(request);
  for (const auto& parameters : ParametersOfBuckets(request)) {
    const int64_t bucket_begin = builder.position();
    for (const int p : parameters) {
      const int64_t begin = builder.position();
      builder.Place(p);
      CloseCuts(builder, begin, shares[p], request.shards);
    }
    if (builder.position() == bucket_begin) builder.CloseCutInEqualParts();  // parameters without elements
    builder.CloseBucket(parameters);
  }
  return std::move(builder).Done();
}

}  // namespace zerocts::engine
