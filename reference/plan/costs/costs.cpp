#include "reference/plan/costs/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "reference/plan/runs/totals.hpp"
#include "reference/plan/value/checked_int64.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts::plan {
namespace {

void RequireSense(const Wire& wire) {
  if (!(wire.bytes_per_second > 0) || !(wire.latency_seconds >= 0))
    throw std::invalid_argument("a link: expected a bandwidth above 0 and a latency of 0 or more");
}

/// The part of a rank's partners that is on its host.
double PartInside(const Link& link, int rank, int world_size, int64_t partners, const auto& is_partner) {
  if (!link.between || partners == 0) return 1;
  const int first = rank / link.ranks_per_host * link.ranks_per_host;
  int64_t inside = 0;
  for (int other = first; other < std::min(first + link.ranks_per_host, world_size); ++other)
    inside += other != rank && is_partner(other);
  return static_cast<double>(inside) / static_cast<double>(partners);
}

double SecondsOn(const Wire& wire, const Traffic& traffic, double part) {
  const auto bytes = static_cast<double>(traffic.sent + traffic.received);
  return part * (bytes / wire.bytes_per_second + static_cast<double>(traffic.messages) * wire.latency_seconds);
}

double SecondsOf(const Link& link, const Traffic& traffic, double inside) {
  const double seconds = SecondsOn(link.inside, traffic, inside);
  return link.between ? std::max(seconds, SecondsOn(*link.between, traffic, 1 - inside)) : seconds;
}

/// Fills in Traffic::seconds. Wires inside and between hosts work at once, so the slower one counts. Throws
/// std::invalid_argument for a link without bandwidth.
void AddTimes(const Plan& plan, const CostNumbers& numbers, Costs& costs) {
  const Link& link = *numbers.link;
  RequireSense(link.inside);
  if (link.between) RequireSense(*link.between);
  if (link.ranks_per_host < 1) throw std::invalid_argument("ranks_per_host: expected at least 1");
  const Sharding* optimizer = plan.sharding(State::kOptimizer);
  const Group group(plan.mesh, optimizer ? optimizer->axes : std::vector<std::string>{});
  const int world = plan.mesh.world_size();
  const bool all = !optimizer || numbers.gradient_sync == GradientSync::kAllReduce;
  for (int rank = 0; rank < world; ++rank) {
    const double of_shards = PartInside(link, rank, world, group.shards() - 1,
                                        [&](int other) { return group.ReplicaOf(other) == group.ReplicaOf(rank); });
    const double of_replicas = PartInside(link, rank, world, group.replicas() - 1,
                                          [&](int other) { return group.ShardOf(other) == group.ShardOf(rank); });
    const double of_all = PartInside(link, rank, world, world - 1, [](int) { return true; });
    auto& [gradients, replicas, parameters] = costs.ranks[rank].traffic;
    gradients.seconds = SecondsOf(link, gradients, all ? of_all : of_shards);
    replicas.seconds = SecondsOf(link, replicas, of_replicas);
    parameters.seconds = SecondsOf(link, parameters, of_shards);
  }
}

void RequireSense(const Plan& plan, const CostNumbers& n) {
  const auto require = [](const char* what, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most)
      throw std::invalid_argument(fmt::format("{} is {}: expected {} to {}", what, value, least, most));
  };
  require("parameter_bytes", n.parameter_bytes.value_or(1), 1, 8);
  require("gradient_bytes", n.gradient_bytes.value_or(1), 1, 8);
  require("wire_bytes", n.wire_bytes.value_or(1), 1, 8);
  require("master_bytes", n.master_bytes, 0, 8);
  require("moment_bytes", n.moment_bytes, 0, 16);
  require("micro_batches", n.micro_batches, 1, 64);
  require("bucket_elements", n.bucket_elements, 0, kMostElements);
  const Sharding* optimizer = plan.sharding(State::kOptimizer);
  for (const State state : {State::kParameters, State::kGradients}) {
    const Sharding* sharding = plan.sharding(state);
    if (!sharding || (optimizer && *sharding == *optimizer)) continue;
    throw std::invalid_argument(fmt::format(
        "{} are divided otherwise than the optimizer state: expected them whole, or as it is, for the bytes of a step",
        NameOf(state)));
  }
}

/// Per tensor.
using Weight = std::vector<int64_t>;

Weight WeightOf(const Plan& plan, State state, std::optional<int> bytes) {
  Weight weight;
  for (const Tensor& tensor : plan.model)
    weight.push_back(Needs(tensor, state) ? bytes.value_or(BytesOf(tensor.dtype)) : 0);
  return weight;
}

int64_t TotalOf(const Plan& plan, const Weight& weight) {
  int64_t total = 0;
  for (size_t t = 0; t < weight.size(); ++t) total += weight[t] * plan.model[t].numel();
  return total;
}

/// Bytes of one state by shard. Whole: one shard that everybody has.
struct Bytes {
  std::vector<int64_t> held, slots;
  int64_t total_slots = 0;

  Bytes(const Plan& plan, const Sharding* sharding, const Weight& weight) {
    held = sharding ? HeldByShards(plan, *sharding, weight) : std::vector{TotalOf(plan, weight)};
    slots = sharding ? SlotsOfShards(plan, *sharding, weight) : held;
    total_slots = std::accumulate(slots.begin(), slots.end(), int64_t{0});
  }
};

/// `times` all-gathers among the ranks of a group: a rank sends its part to all others and gets theirs. A
/// reduce-scatter is the same the other way round.
Traffic Gathered(int64_t times, int64_t own, int64_t all, int64_t ranks) {
  return {CheckedProduct(times * (ranks - 1), own), CheckedProduct(times, all - own), times * (ranks - 1), 0};
}
Traffic Scattered(int64_t times, int64_t own, int64_t all, int64_t ranks) {
  const Traffic gathered = Gathered(times, own, all, ranks);
  return {gathered.received, gathered.sent, gathered.messages, 0};
}

/// A reduce-scatter into even parts, and their all-gather. Elements are never cut: `unit` is their bytes.
Traffic AllReduced(int64_t times, int64_t bytes, int64_t unit, int64_t position, int64_t ranks) {
  const int64_t units = bytes / unit;
  const int64_t own = (EvenBegin(units, ranks, position + 1) - EvenBegin(units, ranks, position)) * unit;
  const Traffic a = Scattered(times, own, bytes, ranks), b = Gathered(times, own, bytes, ranks);
  return {CheckedSum(a.sent, b.sent), CheckedSum(a.received, b.received), a.messages + b.messages, 0};
}

/// The bytes of an element where all tensors agree, else 1.
int64_t UnitOf(const Weight& weight) {
  int64_t unit = 0;
  for (const int64_t bytes : weight) {
    if (bytes != 0 && unit != 0 && bytes != unit) return 1;
    unit = std::max(unit, bytes);
  }
  return std::max<int64_t>(unit, 1);
}

class Counter {
 public:
  Counter(const Plan& plan, const CostNumbers& numbers)
      : plan_(plan),
        n_(numbers),
        optimizer_(plan.sharding(State::kOptimizer)),
        parameter_weight_(WeightOf(plan, State::kParameters, n_.parameter_bytes)),
        trained_weight_(WeightOf(plan, State::kOptimizer, n_.parameter_bytes)),
        gradient_weight_(WeightOf(plan, State::kGradients, n_.gradient_bytes)),
        wire_weight_(n_.wire_bytes ? WeightOf(plan, State::kGradients, n_.wire_bytes) : gradient_weight_),
        parameters_(plan, plan.sharding(State::kParameters), parameter_weight_),
        gradients_(plan, plan.sharding(State::kGradients), gradient_weight_),
        masters_(plan, optimizer_, WeightOf(plan, State::kOptimizer, n_.master_bytes)),
        moments_(plan, optimizer_, WeightOf(plan, State::kOptimizer, n_.moment_bytes)),
        updated_(plan, optimizer_, trained_weight_),
        reduced_(plan, optimizer_, wire_weight_),
        group_(plan.mesh, optimizer_ ? optimizer_->axes : std::vector<std::string>{}) {}

  RankCosts Of(int rank) const {
    RankCosts costs;
    const int shard = group_.ShardOf(rank);
    CountMemory(shard, costs);
    CountBuckets(costs);
    costs.traffic = {OfGradients(rank, shard), OfReplicas(rank, shard), OfParameters(shard)};
    return costs;
  }

  int64_t Unsharded() const {
    return TotalOf(plan_, parameter_weight_) + TotalOf(plan_, gradient_weight_) +
           TotalOf(plan_, WeightOf(plan_, State::kOptimizer, n_.master_bytes + n_.moment_bytes));
  }

 private:
  static void Count(const Bytes& bytes, int shard, int64_t& held, int64_t& padding) {
    const size_t s = bytes.held.size() == 1 ? 0 : shard;
    held = bytes.held[s];
    padding += bytes.slots[s] - bytes.held[s];
  }

  void CountMemory(int shard, RankCosts& costs) const {
    Count(parameters_, shard, costs.parameters, costs.padding);
    Count(gradients_, shard, costs.gradients, costs.padding);
    Count(masters_, shard, costs.master, costs.padding);
    Count(moments_, shard, costs.moments, costs.padding);
    const bool waits = plan_.sharding(State::kGradients) && n_.micro_batches > 1 && !n_.reduce_each_micro_batch;
    if (waits) costs.accumulation = gradients_.total_slots - gradients_.slots[shard];
  }

  void CountBuckets(RankCosts& costs) const {
    const auto widest = [](const Weight& weight) {
      return weight.empty() ? 0 : *std::max_element(weight.begin(), weight.end());
    };
    if (optimizer_) costs.buckets += n_.bucket_elements * widest(gradient_weight_);
    if (plan_.sharding(State::kParameters)) costs.buckets += n_.bucket_elements * widest(parameter_weight_);
    if (wire_weight_ != gradient_weight_) costs.staging = n_.bucket_elements * widest(wire_weight_);
  }

  int64_t Reductions() const { return n_.reduce_each_micro_batch ? n_.micro_batches : 1; }

  Traffic OfGradients(int rank, int shard) const {
    if (!optimizer_ || n_.gradient_sync == GradientSync::kAllReduce) {
      return AllReduced(Reductions(), TotalOf(plan_, wire_weight_), UnitOf(wire_weight_), rank,
                        plan_.mesh.world_size());
    }
    return Scattered(Reductions(), reduced_.slots[shard], reduced_.total_slots, group_.shards());
  }

  Traffic OfReplicas(int rank, int shard) const {
    if (!optimizer_ || n_.gradient_sync == GradientSync::kAllReduce || group_.replicas() == 1) return {};
    return AllReduced(Reductions(), reduced_.slots[shard], UnitOf(wire_weight_), group_.ReplicaOf(rank),
                      group_.replicas());
  }

  Traffic OfParameters(int shard) const {
    if (!optimizer_) return {};
    const bool sharded = plan_.sharding(State::kParameters) != nullptr;
    const Bytes& moved = sharded ? parameters_ : updated_;  // frozen parameters are gathered too, but never updated
    return Gathered(sharded ? 2 * n_.micro_batches : 1, moved.slots[shard], moved.total_slots, group_.shards());
  }

  const Plan& plan_;
  const CostNumbers& n_;
  const Sharding* optimizer_;
  Weight parameter_weight_, trained_weight_, gradient_weight_, wire_weight_;
  Bytes parameters_, gradients_, masters_, moments_, updated_, reduced_;
  Group group_;
};

}  // namespace

const char* NameOf(Collective collective) {
  constexpr const char* kNames[] = {"gradients", "gradients among replicas", "parameters"};
  return kNames[static_cast<int>(collective)];
}

double RankCosts::seconds() const {
  double sum = 0;
  for (const Traffic& t : traffic) sum += t.seconds;
  return sum;
}

double Costs::SavingOf(const RankCosts& rank) const {
  return unsharded == 0 ? 0.0 : static_cast<double>(unsharded - rank.held()) / static_cast<double>(unsharded);
}

const RankCosts& Costs::fullest() const {
  return *std::max_element(ranks.begin(), ranks.end(),
                           [](const RankCosts& a, const RankCosts& b) { return a.held() < b.held(); });
}

Costs CostsOf(const Plan& plan, const CostNumbers& numbers) {
  RequireSense(plan, numbers);
  const Counter counter(plan, numbers);
  Costs costs;
  for (int rank = 0; rank < plan.mesh.world_size(); ++rank) costs.ranks.push_back(counter.Of(rank));
  costs.unsharded = counter.Unsharded();
  if (numbers.link) AddTimes(plan, numbers, costs);
  return costs;
}

}  // namespace zerocts::plan
