#include "reference/plan/costs/link_time.hpp"

#include <algorithm>
#include <stdexcept>

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

}  // namespace

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

}  // namespace zerocts::plan
