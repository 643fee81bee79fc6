// Replicas of sharding groups: hybrid shard.
#include <iterator>
#include <set>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool HasReplicas(const Case& c) { return c.replicas > 1; }
bool HasShardedReplicas(const Case& c) { return HasReplicas(c) && c.replicas < c.data_ranks(); }

std::string BeyondReplicas(const Case& c, const Capabilities& can) {
  if (c.replicas < can.min_replicas) {
    return fmt::format("the number of replicas {} (declared: at least {})", c.replicas, can.min_replicas);
  }
  return Undeclared("replicas", HasReplicas(c), can.replicas);
}

/// Beside tensor ranks few data ranks are left, and some cases must still use a single sharding group.
int PercentOnMeshes(const Case& c) { return c.tensor > 1 ? 40 : 70; }

/// False where the subject runs only on a mesh, and there is none.
bool DrawReplicas(Drawing& drawing) {
  Case& c = drawing.c;
  const int experts = c.experiment.experts.count;  // each on every replica
  if (experts > 1 && !drawing.can.expert_replicas) return true;
  const int least = drawing.can.min_replicas;
  const bool only_meshes = least > 1;
  if (!drawing.can.replicas || !(drawing.varied || only_meshes) || c.stage == 0) return !only_meshes;
  std::vector<int> counts = ReplicaCounts(c.data_ranks() / experts);
  std::erase_if(counts, [least](int count) { return count < least; });
  if (counts.empty()) return !only_meshes;
  if (only_meshes || drawing.draws.Percent(PercentOnMeshes(c))) c.replicas = drawing.draws.Pick(counts);
  return true;
}

/// As many as a number of ranks of the run can form.
std::vector<std::string> AvailableReplicas(const RunTerms& terms) {
  std::set<int> counts = {1};
  if (terms.can.replicas && HasShardedStage(terms)) {
    for (const int world_size : terms.world_sizes) {
      std::ranges::copy(ReplicaCounts(world_size), std::inserter(counts, counts.end()));
    }
  }
  std::vector<std::string> names;
  for (const int count : counts) {
    if (count >= terms.can.min_replicas) names.push_back(NameOfValue(count));
  }
  return names;
}

void KeepReplicas(Capabilities& can, const std::vector<std::string>& kept) {
  if (kept == std::vector{NameOfValue(1)}) can.replicas = false;
  if (!Contains(kept, NameOfValue(1))) can.min_replicas = std::max(can.min_replicas, 2);
}

void TellReplicas(const Case& c, zerocts_open_args& args) { args.replicas = static_cast<uint32_t>(c.replicas); }

void NoReplicas(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.replicas = 1; });
}

}  // namespace

Dimension MeshDimension() {
  return {
      .name = "mesh",
      .values = {.option = "replicas",
                 .meaning = "HSDP replicas of the sharding group; 1: all ranks form one sharding group",
                 .of = [](const Case& c) { return NameOfValue(c.replicas); },
                 .available = AvailableReplicas,
                 .keep = KeepReplicas},
      .form = {.fields = {NewerField(FieldOf("replicas", &Case::replicas))},
               .tell = TellReplicas,
               .features = {{"mesh", "ranks form two or more replicas of a sharding group", HasReplicas},
                            {"sharded_mesh", "each replica has two or more ranks", HasShardedReplicas}}},
      .declared = {.requirements = {NeedsFlag({"mesh", "sharded_mesh"}, "replicas", &Capabilities::replicas),
                                    NeedsSeveralRanks({"mesh"}),
                                    {{"sharded_mesh"},
                                     "4, 6, 8 or another number of ranks that has a divisor",
                                     HasMeshOfShards},
                                    {{"mesh", "sharded_mesh", "loaded_on_mesh"}, "a stage from 1 on", HasShardedStage}},
                   .capabilities = {DeclaresFlag("replicas", &Capabilities::replicas)},
                   .beyond = BeyondReplicas,
                   .probes = ProbeForEach<int>({1, 2, 3, 4},
                                               [](Case& c, int replicas) {
                                                 if (c.data_ranks() % replicas == 0) c.replicas = replicas;
                                               })},
      .drawn = {.on_request = true, .draw = DrawReplicas, .simplifications = {{Simplicity::kArrangement, NoReplicas}}}};
}

}  // namespace zerocts
