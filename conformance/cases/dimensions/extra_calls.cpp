// Calls between those that train: reads, saves, loads into a fresh engine, and calls that are refused. A run has a
// sequence of them, at any micro-batch of any step.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/owners.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {

void Describe(JsonForm& form, ExtraCall& call) {
  form.Field("step", call.step);
  form.Field("micro_batches", call.micro_batches, Bounds{0, std::numeric_limits<int>::max()});
  form.Field("kind", call.kind, ExtraCallKindFromString);
}

namespace {

using enum ExtraCallKind;

template <typename Is>
int64_t CountOf(const Case& c, Is is) {
  return std::ranges::count_if(c.extra_calls, is);
}
bool HasInWindow(const Case& c, ExtraCallKind kind) {
  return CountOf(c, [kind](const ExtraCall& call) { return call.kind == kind && call.in_window(); }) > 0;
}

bool HasCalls(const Case& c) { return !c.extra_calls.empty(); }
bool ReadsInWindow(const Case& c) { return HasInWindow(c, kRead); }
bool SavesAgain(const Case& c) { return CountOf(c, &ExtraCall::saves) > 1; }
bool SavesInWindow(const Case& c) { return HasInWindow(c, kSave); }
/// Is there a save before anything was updated, so that no parameter has a state?
bool SavesBeforeUpdate(const Case& c) {
  const Experiment& e = c.experiment;
  const auto is_before = [&](const ExtraCall& call) {
    return call.saves() &&
           !AnyOwnerAtAnyStep(e, [&](int p, int64_t step) { return step < call.step && IsUpdated(e, p, step); });
  };
  return CountOf(c, is_before) > 0;
}
bool ResumesAgain(const Case& c) { return std::ranges::count(c.extra_calls, kResume, &ExtraCall::kind) > 1; }
bool ResumesInWindow(const Case& c) { return HasInWindow(c, kResume); }
bool Returns(const Case& c) { return std::ranges::count(c.extra_calls, kReturn, &ExtraCall::kind) > 0; }
bool HasMistake(const Case& c) { return CountOf(c, &ExtraCall::is_mistake) > 0; }

std::string BeyondExtraCalls(const Case& c, const Capabilities& can) {
  const bool saves = CountOf(c, &ExtraCall::saves) > 0;
  const bool in_window = CountOf(c, [](const ExtraCall& call) { return call.saves() && call.in_window(); }) > 0;
  return FirstOf({Undeclared("checkpoint", saves, can.checkpoint),
                  Undeclared("checkpoint_tensor", saves && c.tensor > 1, can.checkpoint_tensor),
                  Undeclared("checkpoint_in_window", in_window, can.checkpoint_in_window),
                  Undeclared("goes_on_after_refusal", HasMistake(c), can.goes_on_after_refusal)});
}

/// Which kinds a case has beside reads.
struct Theme {
  std::string name;
  bool saves, errs;
};

std::vector<Theme> ThemesOf(const Capabilities& can) {
  std::vector<Theme> themes = {{"reads", false, false}};
  if (can.checkpoint) themes.push_back({"checkpoints", true, false});
  if (can.goes_on_after_refusal) themes.push_back({"mistakes", false, true});
  if (can.checkpoint && can.goes_on_after_refusal) themes.push_back({"checkpoints and mistakes", true, true});
  return themes;
}

/// What can be called there.
std::vector<ExtraCallKind> KindsFor(const Theme& theme, const Drawing& drawing, const ExtraCall& where) {
  const Capabilities& can = drawing.can;
  std::vector<ExtraCallKind> kinds = {kRead};
  const bool fits =
      (drawing.c.tensor == 1 || can.checkpoint_tensor) && (!where.in_window() || can.checkpoint_in_window);
  if (theme.saves && fits) kinds.push_back(kSave);
  if (theme.saves && fits && where.step > 0) kinds.insert(kinds.end(), {kResume, kResume});
  if (theme.errs && where.micro_batches < drawing.e.micro_batches) kinds.push_back(kEarlyStep);
  if (theme.errs && drawing.given()) kinds.push_back(kWrongMicroBatch);
  if (theme.errs && drawing.given() && where.in_window()) kinds.push_back(kRepeatedMicroBatch);
  return kinds;
}

/// At the save that it goes back to, or later.
void AddReturn(Drawing& drawing) {
  const ExtraCall* saved = SavedForReturn(drawing.c);
  if (!saved) return;
  const Experiment& e = drawing.e;
  ExtraCall call{.kind = kReturn};
  call.step = drawing.draws.Between(saved->step, e.steps - 1);
  const int given = call.step == saved->step ? saved->micro_batches : 0;
  call.micro_batches = static_cast<int>(drawing.draws.Between(given, e.micro_batches));
  std::vector<ExtraCall>& calls = drawing.c.extra_calls;
  calls.insert(std::ranges::upper_bound(calls, call.place(), {}, &ExtraCall::place), call);
}

/// Up to two for each step, and in half of the runs with checkpoints one that goes back; one run of ten has none.
bool DrawExtraCalls(Drawing& drawing) {
  if (!drawing.varied || drawing.c.checkpoint || drawing.draws.Percent(10)) return true;
  Draws& draws = drawing.draws;
  const Experiment& e = drawing.e;
  const Theme theme = draws.Pick(ThemesOf(drawing.can));
  std::vector<ExtraCall>& calls = drawing.c.extra_calls;
  for (int64_t count = draws.Between(1, 2 * e.steps); count > 0; --count) {
    ExtraCall& call = calls.emplace_back();
    call.step = draws.Between(0, e.steps - 1);
    call.micro_batches = static_cast<int>(draws.Between(0, e.micro_batches));
    call.kind = draws.Pick(KindsFor(theme, drawing, call));
  }
  std::ranges::stable_sort(calls, {}, &ExtraCall::place);
  if (theme.saves && draws.Percent(50)) AddReturn(drawing);
  return true;
}

/// The sequence begins in an earlier step; a call comes in the step of the one before, with those after it.
void EarlierCalls(Simplifying& simpler) {
  const std::vector<ExtraCall>& calls = simpler.c.extra_calls;
  const auto shift = [&](size_t first, int64_t steps) {
    simpler.Try([=](Case& c, Experiment&) {
      for (size_t i = first; i < c.extra_calls.size(); ++i) c.extra_calls[i].step -= steps;
    });
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    const int64_t step = calls[i].step;
    for (const int64_t earlier : Simplifying::Below(step, i == 0 ? 0 : calls[i - 1].step)) shift(i, step - earlier);
  }
}

/// None, each half, all but one.
void FewerCalls(Simplifying& simpler) {
  const auto count = static_cast<int64_t>(simpler.c.extra_calls.size());
  const auto without = [&](int64_t begin, int64_t end) {
    simpler.Try(
        [=](Case& c, Experiment&) { c.extra_calls.erase(c.extra_calls.begin() + begin, c.extra_calls.begin() + end); });
  };
  if (count > 0) without(0, count);
  if (count > 1) without(0, count / 2);
  if (count > 1) without(count / 2, count);
  for (int64_t i = 0; count > 2 && i < count; ++i) without(i, i + 1);
}

std::string ThemeOfCalls(const Case& c) {
  const bool saves = CountOf(c, &ExtraCall::saves) > 0;
  if (HasMistake(c)) return saves ? "checkpoints and mistakes" : "mistakes";
  return saves ? "checkpoints" : c.extra_calls.empty() ? "none" : "reads";
}

NamedValues ThemesOfCalls() {
  return {.known = {"none", "reads", "checkpoints", "mistakes", "checkpoints and mistakes"},
          .of = ThemeOfCalls,
          .available = [](const RunTerms& terms) {
            std::vector<std::string> names = {"none"};
            for (const Theme& theme : ThemesOf(terms.can)) names.push_back(theme.name);
            return names;
          }};
}

/// In the second step, after its first micro-batch.
void SaveInWindow(Case& c, const Capabilities& can) {
  if (!can.checkpoint) return;
  HaveTwoSteps(c);
  c.extra_calls = {{.step = 1, .micro_batches = 1, .kind = kSave}};
}

}  // namespace

Dimension ExtraCallsDimension() {
  using C = Capabilities;
  const auto describe = [](JsonForm& form, Case& c) { form.Unusual("extra_calls", c.extra_calls); };
  return {
      .name = "extra calls",
      .values = ThemesOfCalls(),
      .form =
          {.fields = {NewerField({.name = "extra_calls", .describe = describe})},
           .features =
               {{"extra_call", "calls between those that train", HasCalls},
                {"read_in_window", "parameters are read between the micro-batches of a step", ReadsInWindow},
                {"save_again", "two or more checkpoints of a run are saved", SavesAgain},
                {"save_before_update", "a checkpoint is saved before any parameter was updated", SavesBeforeUpdate},
                {"save_in_window", "a checkpoint is saved between the micro-batches of a step", SavesInWindow},
                {"resume_again", "a run goes through two or more fresh engines", ResumesAgain},
                {"resume_in_window", "a fresh engine loads what was saved between the micro-batches of a step",
                 ResumesInWindow},
                {"return", "the first of a run's checkpoints is loaded later, and steps are repeated", Returns},
                {"mistake",
                 "a micro-batch that is not the next one, or a step before its last, is refused, and the run goes on",
                 HasMistake}}},
      .declared = {.requirements = {NeedsFlag({"save_again", "save_before_update", "save_in_window", "resume_again",
                                               "resume_in_window", "return"},
                                              "checkpoint", &C::checkpoint),
                                    NeedsFlag({"save_in_window", "resume_in_window"}, "checkpoint_in_window",
                                              &C::checkpoint_in_window),
                                    NeedsFlag({"mistake"}, "goes_on_after_refusal", &C::goes_on_after_refusal)},
                   .beyond = BeyondExtraCalls,
                   .probes = {SaveInWindow}},
      .drawn = {.on_request = true,
                .draw = DrawExtraCalls,
                .simplifications = {{Simplicity::kExtraCalls, FewerCalls}, {Simplicity::kExtraCalls, EarlierCalls}}}};
}

}  // namespace zerocts
