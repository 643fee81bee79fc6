// A checkpoint between two steps: saved, loaded again, loaded by another number of ranks.
#include "conformance/cases/case/checkpoint.hpp"

#include <numeric>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {

void Describe(JsonForm& form, FileDamage& damage) {
  form.Field("what", damage.what, DamageFromString);
  form.Field("file", damage.file, Bounds{0});
}

void Describe(JsonForm& form, Checkpoint& checkpoint) {
  form.Field("after_step", checkpoint.after_step);
  form.Field("how", checkpoint.how, CheckpointUseFromString);
  form.Unusual("damage", checkpoint.damage);
  form.Unusual("other_world_size", checkpoint.other_world_size);
  form.Unusual("other_tensor", checkpoint.other_tensor);
}

namespace {

bool Saves(const Case& c) { return c.checkpoint && !IsResharded(c) && c.checkpoint->how != CheckpointUse::kResume; }
bool Resumes(const Case& c) { return c.checkpoint && !IsResharded(c) && c.checkpoint->how == CheckpointUse::kResume; }
bool Loads(const Case& c) { return c.checkpoint && !Saves(c); }

bool IsLoadedByMore(const Case& c) { return IsResharded(c) && c.checkpoint->other_world_size > c.world_size(); }
bool IsLoadedByFewer(const Case& c) { return IsResharded(c) && c.checkpoint->other_world_size < c.world_size(); }
bool IsLoadedOnMesh(const Case& c) { return IsResharded(c) && c.replicas > 1; }
bool IsLoadedBySplit(const Case& c) { return IsResharded(c) && c.checkpoint->other_tensor > 1; }
bool IsLoadedByWhole(const Case& c) { return IsResharded(c) && c.checkpoint->other_tensor == 1; }

bool ResumesChanged(const Case& c) {
  const Experiment& e = c.experiment;
  return Loads(c) && GroupsAtStep(e, c.checkpoint->after_step) != GroupsAtStep(e, 0);
}

bool ResumesFrozen(const Case& c) {
  if (!Loads(c)) return false;
  const Experiment& e = c.experiment;
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    if (e.roles.HasState(p) && e.roles.IsFrozen(p, c.checkpoint->after_step)) return true;
  }
  return false;
}

/// Is the loss scale's automaton, as it stands after a step, another than at the beginning? Overflows are those that
/// are planted.
bool HasMovedScale(const Experiment& e, int64_t after_step) {
  LossScaleState state = InitialLossScale(e.loss_scaling);
  for (int64_t step = 0; step <= after_step; ++step) {
    const bool overflow = std::ranges::any_of(e.planted, [&](const PlantedValue& planted) {
      return planted.step == step && GivesGradient(e, planted.parameter, planted.step, planted.g);
    });
    state = NextLossScale(e.loss_scaling, state, overflow);
  }
  return state != InitialLossScale(e.loss_scaling);
}

bool ResumesScale(const Case& c) { return Loads(c) && HasMovedScale(c.experiment, c.checkpoint->after_step); }

bool HasTwoWorldSizes(const RunTerms& terms) { return AvailableWorldSizes(terms.world_sizes, terms.can).size() > 1; }

/// Are two of the sizes multiples of one number above 1?
bool HasSizesWithCommonDivisor(const RunTerms& terms) {
  const std::vector<int> sizes = AvailableWorldSizes(terms.world_sizes, terms.can);
  for (size_t a = 0; a < sizes.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (std::gcd(sizes[a], sizes[b]) > 1) return true;
    }
  }
  return false;
}

std::string BeyondCheckpoint(const Case& c, const Capabilities& can) {
  return FirstOf(
      {Undeclared("checkpoint", c.checkpoint.has_value(), can.checkpoint),
       Undeclared("checkpoint_reshard", c.checkpoint && c.checkpoint->other_world_size > 0, can.checkpoint_reshard),
       Undeclared("checkpoint_tensor", c.checkpoint && (c.tensor > 1 || c.checkpoint->other_tensor > 0),
                  can.checkpoint_tensor)});
}

void DescribeCheckpoint(JsonForm& form, Case& c) { form.Unusual("checkpoint", c.checkpoint); }

/// False when the run has no other number of ranks that makes as many replicas.
bool DrawOtherWorldSize(Drawing& drawing) {
  std::vector<int> others = OtherWorldSizes(drawing.conditions, drawing.can);
  std::erase_if(others, [&](int size) { return size % drawing.c.replicas != 0; });
  if (!others.empty()) drawing.c.checkpoint->other_world_size = drawing.draws.Pick(others);
  return !others.empty();
}

/// False when the run has no other number of tensor ranks for the same data.
bool DrawOtherTensorRanks(Drawing& drawing) {
  Case& c = drawing.c;
  const std::vector<int> sizes = OtherWorldSizes(drawing.conditions, drawing.can);
  const int64_t slices = SliceOrderOf(*drawing.e.model).slices;
  std::vector<int> others = drawing.can.tensor_parallel;
  std::erase_if(others, [&](int tensor) { return slices % tensor != 0 || !Contains(sizes, c.data_ranks() * tensor); });
  if (others.empty()) return false;
  LetTensorRanksLoad(c, drawing.draws.Pick(others));
  return true;
}

bool DrawCheckpoint(Drawing& drawing) {
  const CaseSpace& space = drawing.space;
  Draws& draws = drawing.draws;
  std::optional<Checkpoint>& checkpoint = drawing.c.checkpoint;
  if (space.checkpoint) {
    checkpoint = {draws.Between(0, std::max<int64_t>(drawing.e.steps - 2, 0)), *space.checkpoint};
  }
  if (space.checkpoint != CheckpointUse::kReshard) return true;
  return drawing.c.tensor > 1 ? DrawOtherTensorRanks(drawing) : DrawOtherWorldSize(drawing);
}

void EarlierCheckpoint(Simplifying& simpler) {
  const std::optional<Checkpoint>& checkpoint = simpler.c.checkpoint;
  if (!checkpoint) return;
  simpler.Try([](Case& c, Experiment&) { c.checkpoint.reset(); });
  if (checkpoint->damage) {
    simpler.Try([](Case& c, Experiment&) { c.checkpoint->damage->file = 0; });
  }
  const bool same_data = checkpoint->other_tensor > 0;
  const int64_t others = same_data ? checkpoint->other_tensor : checkpoint->other_world_size;
  for (const int64_t fewer : Simplifying::Below(others, same_data ? 1 : simpler.min_world_size)) {
    simpler.Try([&](Case& c, Experiment&) {
      const int ranks = static_cast<int>(fewer);
      if (same_data) {
        LetTensorRanksLoad(c, ranks);
      } else {
        c.checkpoint->other_world_size = ranks;
      }
    });
  }
  for (const int64_t step : Simplifying::Below(checkpoint->after_step, 0)) {
    simpler.Try([&](Case& c, Experiment&) { c.checkpoint->after_step = step; });
  }
}

void SaveAndLoad(Case& c) {
  HaveTwoSteps(c);
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kResume};
}

/// By one rank less, or by two where one has saved.
void LoadByOthers(Case& c, const Capabilities& can) {
  const int others = c.world_size() == 1 ? 2 : c.world_size() - 1;
  if (others < can.min_world_size || others > can.max_world_size) return;
  HaveTwoSteps(c);
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = others};
}

std::string UseOfCheckpoint(const Case& c) {
  if (!c.checkpoint) return "none";
  if (IsResharded(c)) return IsLoadedByMore(c) ? "loaded by more" : "loaded by fewer";
  return LoadsOnly(c) ? "of others" : Resumes(c) ? "resumed" : "saved";
}

NamedValues UsesOfCheckpoint() {
  const auto saves = [](const RunTerms& terms) { return terms.can.checkpoint; };
  const auto reshards = [](const RunTerms& terms) {
    return terms.can.checkpoint && terms.can.checkpoint_reshard && HasTwoWorldSizes(terms);
  };
  NamedValues uses = ValuesOf(
      {{"none"}, {"saved", saves}, {"resumed", saves}, {"loaded by more", reshards}, {"loaded by fewer", reshards}},
      UseOfCheckpoint);
  uses.known.push_back("of others");  // the second run of a case that is two
  return uses;
}

}  // namespace

Dimension CheckpointDimension() {
  using C = Capabilities;
  const std::vector<std::string> resharded = {"loaded_by_more", "loaded_by_fewer", "loaded_on_mesh", "loaded_by_split",
                                              "loaded_by_whole"};
  return {
      .name = "checkpoint",
      .values = UsesOfCheckpoint(),
      .form =
          {.fields = {NewerField({.name = "checkpoint", .describe = DescribeCheckpoint})},
           .features =
               {{"save", "a checkpoint is saved between two steps, and nothing is loaded", Saves},
                {"resume", "between two steps a checkpoint is saved and loaded into a fresh engine", Resumes},
                {"resumed_change",
                 "hyper-parameters in the checkpoint are others than those that the fresh engine was opened with",
                 ResumesChanged},
                {"resumed_frozen", "a parameter is frozen when the checkpoint is saved", ResumesFrozen},
                {"loaded_by_more", "more ranks load a checkpoint than have saved it", IsLoadedByMore},
                {"loaded_by_fewer", "fewer ranks load a checkpoint than have saved it", IsLoadedByFewer},
                {"loaded_on_mesh", "as many replicas as have saved a checkpoint load it, on another number of ranks",
                 IsLoadedOnMesh},
                {"loaded_by_split", "two or more tensor ranks load what another number of them saved", IsLoadedBySplit},
                {"loaded_by_whole", "ranks with whole layers load what tensor ranks saved", IsLoadedByWhole},
                {"resumed_scale", "the loss scale's automaton in the checkpoint stands elsewhere than at its beginning",
                 ResumesScale}}},
      .declared = {.requirements = {NeedsFlag({"save", "resume", "resumed_change", "resumed_frozen", "resumed_scale"},
                                              "checkpoint", &C::checkpoint),
                                    NeedsFlag(resharded, "checkpoint_reshard", &C::checkpoint_reshard),
                                    {{"loaded_by_more", "loaded_by_fewer"}, "two world sizes", HasTwoWorldSizes},
                                    NeedsFlag({"loaded_on_mesh"}, "replicas", &C::replicas),
                                    {{"loaded_on_mesh"},
                                     "two world sizes that can have as many replicas",
                                     HasSizesWithCommonDivisor},
                                    NeedsFlag({"resumed_change"}, "set_group", &C::set_group),
                                    NeedsEntry({"resumed_scale"}, "loss_scaling dynamic", &C::loss_scaling,
                                               LossScaleKind::kDynamic)},
                   .beyond = BeyondCheckpoint,
                   .probes = {ProbeFor(SaveAndLoad), LoadByOthers}},
      .drawn = {.draw = DrawCheckpoint, .simplifications = {{Simplicity::kCheckpoint, EarlierCheckpoint}}}};
}

}  // namespace zerocts
