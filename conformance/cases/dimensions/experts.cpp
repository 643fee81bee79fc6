// Experts: parameters that only every E-th rank has.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/dimensions/text_training.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kExpertsStream = 1002;  // apart from the streams of experiments and of the order of reads

bool HasExperts(const Case& c) { return !c.experiment.experts.parameters.empty(); }
int RanksOfAnExpert(const Case& c) { return c.data_ranks() / c.experiment.experts.count; }
bool HasExpertGroups(const Case& c) { return HasExperts(c) && RanksOfAnExpert(c) > 1; }
bool HasExpertLayer(const Case& c) { return HasExperts(c) && c.experiment.gradients == GradientSource::kModel; }
bool HasExpertShards(const Case& c) { return HasExpertGroups(c) && c.stage > 0; }

bool HasExpertMesh(const Case& c) { return HasExperts(c) && c.replicas > 1; }
bool DividesByItsOwn(const Case& c) { return HasExperts(c) && c.experiment.experts.divisor == ExpertDivisor::kGroup; }

bool HasDenseBeside(const Case& c) {
  const Experiment& e = c.experiment;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    if (HasExperts(c) && e.roles.HasState(p) && e.experts.ExpertOf(p) == Experts::kDense) return true;
  }
  return false;
}

/// Numbers of experts for so many ranks; those with several ranks for each, if there are such.
std::vector<int> ExpertCounts(int ranks, bool of_several_ranks) {
  std::vector<int> counts;
  for (int count = 2; count <= ranks; ++count) {
    if (ranks % count == 0 && (count < ranks || !of_several_ranks)) counts.push_back(count);
  }
  return counts;
}

/// An MLP gets them in its last hidden layer, where no tensor ranks split it and all its parameters are trained.
void GiveModelExperts(Drawing& drawing, int count) {
  const auto* mlp = std::get_if<MlpSpec>(&*drawing.e.model);
  if (!mlp || mlp->hidden.empty() || drawing.c.tensor > 1 || !drawing.e.roles.buffers.empty()) return;
  MlpSpec of_experts = *mlp;
  of_experts.experts = count;
  if (Problem(ModelSpec(of_experts)).empty()) SetModel(drawing.e, of_experts);
}

/// By the seed of the data, so that this takes no draw, and what else is drawn stays what it was.
bool DrawExperts(Drawing& drawing) {
  Experiment& e = drawing.e;
  const bool has_file = FileOf(drawing.conditions.constraints) != nullptr;
  const bool can = drawing.varied && drawing.can.experts && drawing.can.min_replicas == 1;
  if (!can || has_file || e.world_size == 1 || e.seed % 2 == 0) return true;
  uint64_t index = 0;
  const auto below = [&](uint64_t bound) { return RandomBelow(e.seed, Stream({kExpertsStream}), index++, bound); };
  std::vector<int> counts = ExpertCounts(e.world_size, below(4) != 0);
  if (counts.empty()) counts = {e.world_size};
  Experts experts{counts[below(counts.size())], {}};
  const auto divisor = [&] {
    const std::vector<ExpertDivisor>& declared = drawing.can.expert_divisors;
    return declared[below(declared.size())];
  };
  if (!drawing.given()) {
    GiveModelExperts(drawing, experts.count);
    if (e.experts.count > 1) e.experts.divisor = divisor();
    return true;
  }
  const auto expert = [&] { return static_cast<int>(below(static_cast<uint64_t>(experts.count))); };
  int last_owner = -1;
  for (int p = 0; p < drawing.parameters(); ++p) {
    if (!e.roles.HasState(p)) continue;
    last_owner = p;
    if (below(5) >= 2) experts.parameters.push_back({p, expert()});
  }
  if (last_owner < 0) return true;
  if (experts.parameters.empty()) experts.parameters.push_back({last_owner, expert()});
  for (const TiedParameter& tie : e.roles.tied) {
    const int of_owner = experts.ExpertOf(tie.owner);
    if (of_owner != Experts::kDense) experts.parameters.push_back({tie.parameter, of_owner});
  }
  experts.divisor = divisor();
  e.experts = experts;
  return true;
}

void TellExperts(const Case& c, zerocts_open_args& args) {
  const Experts& experts = c.experiment.experts;
  args.experts = static_cast<uint32_t>(experts.count);
  const bool of_group = experts.divisor == ExpertDivisor::kGroup;
  args.expert_divisor = of_group ? ZEROCTS_EXPERT_DIVISOR_GROUP : ZEROCTS_EXPERT_DIVISOR_WORLD;
}

std::string BeyondExperts(const Case& c, const Capabilities& can) {
  const Experts& experts = c.experiment.experts;
  if (experts.count == 1) return "";
  return FirstOf({Undeclared("experts", true, can.experts),
                  Undeclared("expert_replicas", c.replicas > 1, can.expert_replicas),
                  Unlisted("expert_divisors", experts.divisor, can.expert_divisors)});
}

/// One for each rank; the last has the first parameter.
void ProbeForExperts(Case& c) {
  Experiment& e = c.experiment;
  const bool plain = c.replicas == 1 && c.tensor == 1 && e.gradients != GradientSource::kModel;
  if (plain && e.world_size > 1 && e.roles.tied.empty() && e.roles.HasState(0)) {
    e.experts = {e.world_size, {{0, e.world_size - 1}}};
  }
}

/// As many as a replica has ranks; it needs as large a world.
void ProbeForExpertsOnAMesh(Case& c) {
  ProbeForExperts(c);
  const int shards = c.data_ranks() / 2;
  if (c.experiment.experts.count == 1 || shards < 2 || c.data_ranks() % 2 != 0 || c.stage == 0) return;
  c.replicas = 2;
  c.experiment.experts = {shards, {{0, shards - 1}}};
}

void ProbeForDivisor(Case& c, ExpertDivisor divisor) {
  ProbeForExperts(c);
  if (c.experiment.experts.count > 1) c.experiment.experts.divisor = divisor;
}

std::vector<UndeclaredProbe> ExpertProbes() {
  std::vector<UndeclaredProbe> probes =
      ProbeForEach<ExpertDivisor>({ExpertDivisor::kWorld, ExpertDivisor::kGroup}, ProbeForDivisor);
  probes.push_back(ProbeFor(ProbeForExpertsOnAMesh));
  return probes;
}

/// A run whose ranks fall into several groups of several.
bool HasCompositeRanks(const RunTerms& terms) {
  return std::ranges::any_of(terms.world_sizes, [&](int size) {
    return (terms.ranks == 0 || terms.ranks == size) && !ExpertCounts(size, true).empty();
  });
}

/// Does the subject, or the host for it, compute an MLP?
bool HasMlp(const RunTerms& terms) {
  return HasModels(terms) && (terms.can.host_computes_models || Contains<std::string>(terms.can.models, "mlp"));
}

void FewerExperts(Simplifying& simpler) {
  if (HasExpertLayer(simpler.c)) {
    simpler.Try([](Case&, Experiment& e) {
      MlpSpec dense = std::get<MlpSpec>(*e.model);
      dense.experts = 1;
      SetModel(e, dense);
    });
    return;
  }
  simpler.Try([](Case&, Experiment& e) { e.experts = {}; });
  simpler.Try([](Case&, Experiment& e) { e.experts.divisor = ExpertDivisor::kWorld; });
  simpler.TryFewer([](auto& e) -> auto& { return e.experts.parameters; });
}

std::string KindOfExperts(const Case& c) {
  return !HasExperts(c) ? "none" : HasExpertGroups(c) ? "of several ranks" : "of one rank";
}

}  // namespace

Dimension ExpertsDimension() {
  const std::vector<std::string> all = {"experts",      "expert_groups", "expert_shards", "expert_beside_dense",
                                        "expert_layer", "expert_mesh",   "expert_divisor"};
  const auto can_have = [](const std::string& feature) {
    return [feature](const RunTerms& terms) { return MissingFor(feature, terms).empty(); };
  };
  return {
      .name = "experts",
      .values =
          ValuesOf({{"none"}, {"of one rank", can_have("experts")}, {"of several ranks", can_have("expert_groups")}},
                   KindOfExperts),
      .form = {.tell = TellExperts,
               .features = {{"experts", "a parameter is an expert's: every E-th rank has it", HasExperts},
                            {"expert_groups", "an expert of several ranks, which are not neighbours", HasExpertGroups},
                            {"expert_shards", "an expert that is sharded over its ranks", HasExpertShards},
                            {"expert_beside_dense", "a parameter of an expert beside one that all ranks have",
                             HasDenseBeside},
                            {"expert_layer",
                             "a model with experts in a layer, each of which its ranks' data goes through",
                             HasExpertLayer},
                            {"expert_mesh", "experts on a mesh, each on every replica", HasExpertMesh},
                            {"expert_divisor", "the mean of an expert divides by the micro-batches of its own ranks",
                             DividesByItsOwn}}},
      .declared = {.requirements =
                       {NeedsFlag(all, "experts", &Capabilities::experts),
                        NeedsSeveralRanks(all),
                        NeedsNoPlanFile(all),
                        NeedsValue(all, "tensor", "1"),
                        {all, "one replica", [](const RunTerms& terms) { return terms.can.min_replicas == 1; }},
                        NeedsFlag({"expert_mesh"}, "expert_replicas", &Capabilities::expert_replicas),
                        NeedsFlag({"expert_mesh"}, "replicas", &Capabilities::replicas),
                        NeedsEntry({"expert_divisor"}, "expert_divisors group", &Capabilities::expert_divisors,
                                   ExpertDivisor::kGroup),
                        {{"expert_groups", "expert_shards"}, "a number of ranks that is no prime", HasCompositeRanks},
                        {{"expert_mesh"}, "replicas of several ranks", HasMeshOfShards},
                        {{"expert_shards", "expert_mesh"}, "a stage from 1 on", HasShardedStage},
                        {{"expert_layer"}, "models mlp", HasMlp}},
                   .capabilities = {DeclaresFlag("experts", &Capabilities::experts),
                                    DeclaresFlag("expert_replicas", &Capabilities::expert_replicas),
                                    DeclaresEntry("expert_divisors group", &Capabilities::expert_divisors,
                                                  ExpertDivisor::kGroup)},
                   .beyond = BeyondExperts,
                   .probes = ExpertProbes()},
      .drawn = {.on_request = true, .draw = DrawExperts, .simplifications = {{Simplicity::kRanks, FewerExperts}}}};
}

}  // namespace zerocts
