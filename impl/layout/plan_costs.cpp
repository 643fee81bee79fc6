#include "impl/layout/plan_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "reference/plan/value/checked_int64.hpp"
#include "reference/plan/value/mesh.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts::engine {
namespace {

int64_t BytesPerElement(Precision precision) { return precision == Precision::kBf16 ? 2 : 4; }

int64_t OptimizerBytesPerElement(const CostSettings& s) {
  const int masters = s.parameters == Precision::kBf16 ? 1 : 0;
  return 4 * (s.moments + masters);
}

void RequireSense(const CostSettings& s) {
  const auto require = [](const char* what, int value, int least, int most) {
    if (value < least || value > most)
      throw std::invalid_argument(fmt::format("{} is {}: expected {}..{}", what, value, least, most));
  };
  require("stage", s.stage, 0, 3);
  require("moments", s.moments, 0, 2);
  require("micro_batches", s.micro_batches, 1, 1 << 20);
  require("replicas", s.replicas, 1, 1 << 20);
}

/// `times` collectives that send and receive so many elements each.
PlannedTraffic Moved(int64_t times, int64_t sent, int64_t received, Precision precision) {
  const int64_t all_sent = CheckedProduct(times, sent), all_received = CheckedProduct(times, received);
  const int64_t bytes = BytesPerElement(precision);
  return {all_sent, all_received, CheckedProduct(all_sent, bytes), CheckedProduct(all_received, bytes)};
}

/// Elements, and those among them that are padding.
struct Held {
  int64_t numel, padding;
};

void CountMemory(const CostSettings& s, const Held& whole, const Held& shard, RankCosts& costs) {
  const Held& parameters = s.stage >= 3 ? shard : whole;
  const Held& gradients = s.stage >= 2 ? shard : whole;
  const Held& state = s.stage >= 1 ? shard : whole;
  const int64_t parameter = BytesPerElement(s.parameters), gradient = BytesPerElement(s.gradients);
  const int64_t optimizer = OptimizerBytesPerElement(s);
  costs.parameter_bytes = (parameters.numel - parameters.padding) * parameter;
  costs.gradient_bytes = (gradients.numel - gradients.padding) * gradient;
  costs.optimizer_bytes = (state.numel - state.padding) * optimizer;
  costs.padding_bytes = parameters.padding * parameter + gradients.padding * gradient + state.padding * optimizer;
  const bool adds_up_whole_gradients = s.stage >= 2 && s.micro_batches > 1 && !s.reduce_each_micro_batch;
  costs.accumulation_bytes = adds_up_whole_gradients ? (whole.numel - shard.numel) * gradient : 0;
}

void CountTraffic(const CostSettings& s, int64_t whole, int64_t own, int shards, int replica, RankCosts& costs) {
  const int64_t of_others = whole - own, to_others = CheckedProduct(shards - 1, own);
  const int64_t reductions = s.reduce_each_micro_batch ? s.micro_batches : 1;
  costs.reduce_scatter = Moved(reductions, of_others, to_others, s.gradients);

  // Stage 0 completes its all-reduce; stages 1 and 2 all-gather parameters once; stage 3 gathers them for every use.
  const int64_t gathers = s.stage == 0 ? reductions : s.stage == 3 ? 2 * s.micro_batches : 1;
  costs.all_gather = Moved(gathers, to_others, of_others, s.stage == 0 ? s.gradients : s.parameters);

  const int64_t own_of_own = OptimizerShard::ForRank(replica, s.replicas, own).shard_size();
  const int64_t either_way = own - own_of_own + CheckedProduct(s.replicas - 1, own_of_own);
  costs.replica_all_reduce = Moved(reductions, either_way, either_way, s.gradients);
}

void AddRow(const std::string& name, const PlanCosts& costs, const std::function<int64_t(const RankCosts&)>& value,
            std::string& text) {
  std::vector<int64_t> values;
  for (const RankCosts& rank : costs.ranks) values.push_back(value(rank));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  text += fmt::format("\n{:<36}{:>20}{:>20}{:>24}", name, *least, *most,
                      std::accumulate(values.begin(), values.end(), int64_t{0}, CheckedSum));
}

void AddTraffic(const std::string& name, PlannedTraffic RankCosts::*traffic, const PlanCosts& costs,
                std::string& text) {
  const auto row = [&](const char* what, int64_t PlannedTraffic::*field) {
    AddRow(
        name + what, costs, [=](const RankCosts& rank) { return rank.*traffic.*field; }, text);
  };
  row(" sent, elements", &PlannedTraffic::sent_numel);
  row(" received, elements", &PlannedTraffic::received_numel);
  row(" sent, bytes", &PlannedTraffic::sent_bytes);
  row(" received, bytes", &PlannedTraffic::received_bytes);
}

}  // namespace

PlanCosts CostsOf(const Layout& layout, const CostSettings& settings) {
  RequireSense(settings);
  CheckedProduct(layout.padded_numel(), 2 * 4 + OptimizerBytesPerElement(settings));  // the bytes of one rank at most
  const std::vector<int64_t> elements = ElementsOfShards(layout);
  const int64_t total = std::accumulate(layout.numel.begin(), layout.numel.end(), int64_t{0});
  const Held whole = {layout.padded_numel(), layout.padded_numel() - total};
  std::vector<Held> parts;
  for (int shard = 0; shard < layout.shards(); ++shard) {
    const int64_t numel = layout.shard_numel(shard);
    parts.push_back({numel, numel - elements[shard]});
  }

  PlanCosts costs{settings, layout.plan, layout.shards(), {}};
  const Mesh mesh = HybridMesh(settings.replicas, layout.shards());
  costs.ranks.resize(mesh.world_size());
  for (int rank = 0; rank < mesh.world_size(); ++rank) {
    const Held& part = parts[mesh.Coordinate(rank, "shard")];
    CountMemory(settings, whole, part, costs.ranks[rank]);
    CountTraffic(settings, whole.numel, part.numel, layout.shards(), mesh.Coordinate(rank, "replicate"),
                 costs.ranks[rank]);
  }
  return costs;
}

std::string ToString(const PlanCosts& costs) {
  const CostSettings& s = costs.settings;
  std::string text = fmt::format(
      "{}, stage {}, {} parameters, {} gradients, {} moments, {} micro-batches, gradients reduced {} times per step, "
      "{} replicas of {} shards\n{:<36}{:>20}{:>20}{:>24}",
      costs.plan, s.stage, ToString(s.parameters), ToString(s.gradients), s.moments, s.micro_batches,
      s.reduce_each_micro_batch ? s.micro_batches : 1, s.replicas, costs.shards, "per rank", "least", "most",
      "all ranks");
  AddRow("parameters, bytes", costs, &RankCosts::parameter_bytes, text);
  AddRow("gradients, bytes", costs, &RankCosts::gradient_bytes, text);
  AddRow("optimizer state, bytes", costs, &RankCosts::optimizer_bytes, text);
  AddRow("padding, bytes", costs, &RankCosts::padding_bytes, text);
  AddRow("held between steps, bytes", costs, &RankCosts::held_bytes, text);
  AddRow("more while accumulating, bytes", costs, &RankCosts::accumulation_bytes, text);
  AddTraffic("reduce-scatter", &RankCosts::reduce_scatter, costs, text);
  AddTraffic("all-gather", &RankCosts::all_gather, costs, text);
  if (s.replicas > 1) AddTraffic("replica all-reduce", &RankCosts::replica_all_reduce, costs, text);
  return text;
}

}  // namespace zerocts::engine
