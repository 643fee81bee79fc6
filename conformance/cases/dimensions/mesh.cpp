// Replicas of sharding groups: hybrid shard.
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool HasReplicas(const Case& c) { return c.replicas > 1; }

std::string BeyondReplicas(const Case& c, const Capabilities& can) {
  return Undeclared("replicas", HasReplicas(c), can.replicas);
}

bool DrawReplicas(Drawing& drawing) {
  Case& c = drawing.c;
  const bool possible = drawing.space.mesh && drawing.can.replicas && c.stage > 0 && c.world_size() > 1;
  if (possible && drawing.draws.Percent(70)) c.replicas = drawing.draws.Pick(ReplicaCounts(c.world_size()));
  return true;
}

void NoReplicas(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.replicas = 1; });
}

}  // namespace

Dimension MeshDimension() {
  return {.name = "mesh",
          .features = {{"mesh", "ranks form two or more replicas of a sharding group", HasReplicas}},
          .demands = {NeedsFlag({"mesh"}, "replicas", &Capabilities::replicas), NeedsSeveralRanks({"mesh"})},
          .offers = {OffersFlag("replicas", &Capabilities::replicas)},
          .beyond = BeyondReplicas,
          .draw = DrawReplicas,
          .simplifications = {{Simplicity::kArrangement, NoReplicas}}};
}

}  // namespace zerocts
