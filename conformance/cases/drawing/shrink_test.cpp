#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/drawing/shrink.hpp"
#include "conformance/cases/draws/magnitude.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/features.hpp"

namespace zerocts {
namespace {

/// The first candidate that still fails, again and again.
template <typename Fails>
Case Shrunk(Case c, Fails fails, int min_world_size = 1) {
  for (int round = 0; round < 5000; ++round) {
    const std::vector<Case> candidates = Shrink(c, min_world_size);
    const auto next = std::find_if(candidates.begin(), candidates.end(), fails);
    if (next == candidates.end()) return c;
    c = *next;
  }
  throw std::logic_error("shrinking does not end: " + Summary(c));
}

RC_GTEST_PROP(Shrink, CandidatesAreValidAndOther, ()) {
  const auto shapes = *rc::gen::element(ShapeStyle::kMixed, ShapeStyle::kDegenerate);
  const bool model = *rc::gen::arbitrary<bool>();
  const CaseSpace space = model ? ModelSpace() : EverythingOf(shapes);
  const Case c = *CasesOf(*rc::gen::arbitrary<bool>() ? SemanticsOf(space) : space,
                          {*rc::gen::inRange(1, 9), Precision::kFp32, {}}, EverythingCapable());
  for (const Case& candidate : Shrink(c, 2)) {
    RC_ASSERT(Problem(candidate) == "");
    RC_ASSERT(!IsExact(c.experiment) || IsExact(candidate.experiment));
    RC_ASSERT(candidate != c);
    RC_ASSERT(candidate.world_size() >= std::min(2, c.world_size()));
    if (!model) RC_ASSERT(TotalNumel(candidate.experiment) <= TotalNumel(c.experiment));
  }
}

/// As far as a failure of a GPT that is grouped goes on, and of any GPT.
TEST(Shrink, KeepsGroupedQueriesOnlyForAFailureThatNeedsThem) {
  CaseSpace space = ModelSpace();
  space.vary.insert("kv_heads");
  const auto gpt_of = [](const Case& c) { return std::get_if<GptSpec>(&*c.experiment.model); };
  const auto is_gpt = [&](const Case& c) { return c.experiment.model && gpt_of(c); };
  const auto is_grouped = [&](const Case& c) { return is_gpt(c) && gpt_of(c)->kv_heads < gpt_of(c)->heads; };
  const auto cases = CasesOf(space, {2, Precision::kFp32, {}}, EverythingCapable());
  uint64_t seed = 0;
  while (!is_grouped(cases(rc::Random(seed), 50).value())) ++seed;
  const Case c = cases(rc::Random(seed), 50).value();
  const GptSpec grouped = *gpt_of(Shrunk(c, is_grouped)), plain = *gpt_of(Shrunk(c, is_gpt));
  EXPECT_EQ(std::tuple(grouped.heads, grouped.kv_heads, grouped.width), std::tuple(2, 1, 2));
  EXPECT_EQ(std::tuple(plain.heads, plain.kv_heads, plain.width), std::tuple(1, 1, 1));
}

/// Where 2 ranks with 2 micro-batches fail too, a factor of 2 tells nothing.
TEST(Shrink, PrefersCasesInWhichRanksAndMicroBatchesDiffer) {
  Case c;
  c.experiment.parameters = {{"a", {5}, 0}, {"b", {3}, 0}};
  c.experiment.world_size = 3;
  c.experiment.micro_batches = 2;
  const auto are_equal = [](const Case& candidate) {
    return candidate.experiment.world_size == 2 && candidate.experiment.micro_batches == 2;
  };
  const std::vector<Case> candidates = Shrink(c);
  const auto equal = std::ranges::find_if(candidates, are_equal);
  ASSERT_NE(equal, candidates.end());
  EXPECT_TRUE(std::all_of(equal, candidates.end(), are_equal));
  EXPECT_GT(equal - candidates.begin(), 1);
}

RC_GTEST_PROP(Shrink, EndsAtTheSmallestCase, ()) {
  const auto shapes = *rc::gen::element(ShapeStyle::kMixed, ShapeStyle::kDegenerate, ShapeStyle::kLarge);
  const Precision precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  CaseSpace space = *rc::gen::arbitrary<bool>() ? SemanticsOf(EverythingOf(shapes)) : EverythingOf(shapes);
  if (*rc::gen::arbitrary<bool>()) space.vary.insert("extra calls");
  const Case c = *CasesOf(space, {*rc::gen::inRange(1, 9), precision, {}}, EverythingCapable());
  const Case smallest = Shrunk(c, [](const Case&) { return true; });
  const Experiment& e = smallest.experiment;
  RC_ASSERT(e.world_size == 1);
  RC_ASSERT(e.steps == 1);
  RC_ASSERT(e.micro_batches == 1);
  RC_ASSERT(e.parameters.size() == 1u);
  RC_ASSERT(TotalNumel(e) <= 1);
  RC_ASSERT(e.optimizer == OptimizerKind::kSgd);
  RC_ASSERT(e.gradient_exponent == 0 && e.initial_exponent == 0 && IsPlain(e));
  RC_ASSERT(e.max_norm == 0);
  RC_ASSERT(e.groups.size() == 1u);
  RC_ASSERT(e.changes.empty());
  RC_ASSERT(smallest.bucket_cap_bytes == 0u);
  RC_ASSERT(e.roles == ParameterRoles{});
  RC_ASSERT(e.planted.empty() && e.loss_scaling.kind == LossScaleKind::kNone);
  RC_ASSERT(e.accumulation == Precision::kFp32 && e.reduction == Precision::kFp32);
  RC_ASSERT(e.clip_norm == NormKind::kTwo && e.clip_formula == ClipFormula::kMin);
  RC_ASSERT(e.groups[0].momentum == 0 && e.groups[0].dampening == 0 && !e.groups[0].nesterov);
  RC_ASSERT(!smallest.checkpoint);
  RC_ASSERT(smallest.replicas == 1 && smallest.gradient_sync == GradientSync::kLastMicroBatch);
  RC_ASSERT(smallest.overlap == Overlap::kAny && smallest.offload == Offload::kNone);
  RC_ASSERT(!smallest.read_twice && !smallest.read_before_step && smallest.read_order == ReadOrder::kForward);
  RC_ASSERT(smallest.extra_calls.empty());
}

RC_GTEST_PROP(Shrink, AModelEndsSmallToo, ()) {
  const Case c = *CasesOf(ModelSpace(), {3, Precision::kFp32, {}}, EverythingCapable());
  const Case smallest = Shrunk(c, [](const Case&) { return true; });
  RC_ASSERT(std::get<MlpSpec>(*smallest.experiment.model).hidden.empty());
  RC_ASSERT(VocabOf(*smallest.experiment.model) == 1);
  RC_ASSERT(smallest.experiment.batch == 1);
}

RC_GTEST_PROP(Shrink, FindsTheSmallestUnevenCase, ()) {
  const Case c = *CasesOf(EverythingOf(ShapeStyle::kMixed), {4, Precision::kFp32, {}}, EverythingCapable());
  const auto fails = [](const Case& candidate) {
    const Experiment& e = candidate.experiment;
    return TotalNumel(e) > e.world_size && TotalNumel(e) % e.world_size != 0 && e.steps >= 2;
  };
  RC_PRE(fails(c));
  const Case smallest = Shrunk(c, fails);
  RC_LOG() << smallest;
  RC_ASSERT(smallest.experiment.world_size <= 4);
  RC_ASSERT(smallest.experiment.steps == 2);
  RC_ASSERT(TotalNumel(smallest.experiment) <= 2 * smallest.experiment.world_size);
  RC_ASSERT(Shrunk(c, fails, 3).experiment.world_size >= 3);
}

TEST(Shrink, KeepsARoleThatTheFailureNeeds) {
  const auto fails = [](const Case& c) {
    const ParameterRoles& roles = c.experiment.roles;
    return !roles.tied.empty() && !roles.missing.empty() && c.replicas > 1;
  };
  const auto gen =
      CasesOf(SemanticsOf(EverythingOf(ShapeStyle::kMixed)), {4, Precision::kFp32, {}}, EverythingCapable());
  Case c = gen(rc::Random(1), 100).value();
  for (uint64_t seed = 2; !fails(c); ++seed) c = gen(rc::Random(seed), 100).value();
  const Case smallest = Shrunk(c, fails);
  EXPECT_EQ(smallest.world_size(), 2);
  EXPECT_EQ(smallest.replicas, 2);
  EXPECT_LE(smallest.experiment.parameters.size(), 3u);  // the pair, and whose gradient is missing
  EXPECT_EQ(smallest.experiment.roles.tied.size(), 1u);
  EXPECT_EQ(smallest.experiment.roles.missing.size(), 1u);
  EXPECT_LE(TotalNumel(smallest.experiment), 3);
}

TEST(Shrink, RapidCheckFindsTheSmallestCounterexample) {
  const auto fails = [](const Case& c) { return c.world_size() >= 3 && TotalNumel(c.experiment) >= 5; };
  std::string message;
  const auto gen = CasesOf(EverythingOf(ShapeStyle::kMixed), {4, Precision::kFp32, {}}, EverythingCapable());
  auto shrinkable = gen(rc::Random(3), 100);
  for (uint64_t seed = 4; !fails(shrinkable.value()); ++seed) shrinkable = gen(rc::Random(seed), 100);
  for (bool found = true; found;) {
    found = false;
    for (auto shrinks = shrinkable.shrinks(); auto next = shrinks.next();) {
      if (!fails(next->value())) continue;
      shrinkable = *next;
      found = true;
      break;
    }
  }
  EXPECT_EQ(shrinkable.value().world_size(), 3);
  EXPECT_EQ(TotalNumel(shrinkable.value().experiment), 5);
}

TEST(Shrink, KeepsTheCheckpointThatMatters) {
  Case c;
  c.experiment.parameters = {{"a", {3}, 0}};
  c.experiment.steps = 5;
  c.checkpoint = {3, CheckpointUse::kResume};
  const auto fails = [](const Case& candidate) {
    return candidate.checkpoint && candidate.checkpoint->after_step >= 1;
  };
  const Case smallest = Shrunk(c, fails);
  EXPECT_EQ(smallest.checkpoint, (Checkpoint{1, CheckpointUse::kResume}));
  EXPECT_EQ(smallest.experiment.steps, 2);
}

/// As a sequence: what the failure needs of it, in its order, in as few steps and micro-batches as have room for it.
TEST(Shrink, KeepsTheExtraCallsThatMatter) {
  using enum ExtraCallKind;
  Case c;
  c.experiment.parameters = {{"a", {3}, 0}};
  c.experiment.steps = 7;
  c.experiment.micro_batches = 3;
  c.extra_calls = {{0, 1, kRead},   {1, 0, kSave}, {2, 1, kEarlyStep}, {2, 3, kRead},
                   {3, 2, kResume}, {4, 0, kRead}, {5, 1, kSave},      {6, 3, kWrongMicroBatch}};
  const auto fails = [](const Case& candidate) {
    const auto resumed = std::ranges::find(candidate.extra_calls, kResume, &ExtraCall::kind);
    return std::any_of(resumed, candidate.extra_calls.end(),
                       [](const ExtraCall& call) { return call.kind == kSave && call.in_window(); });
  };
  const Case smallest = Shrunk(c, fails);
  EXPECT_EQ(smallest.extra_calls.size(), 2u) << smallest;
  EXPECT_EQ(smallest.extra_calls.front().kind, kResume);
  EXPECT_EQ(smallest.experiment.micro_batches, 1);
  EXPECT_EQ(smallest.experiment.steps, 2);
}

TEST(Shrink, LetsFewerRanksLoad) {
  Case c;
  c.experiment.parameters = {{"a", {3}, 0}};
  c.experiment.world_size = 4;
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 3};
  const auto fails = [](const Case& candidate) {
    return candidate.checkpoint && candidate.checkpoint->other_world_size >= 2;
  };
  const Case smallest = Shrunk(c, fails);
  EXPECT_EQ(smallest.checkpoint->other_world_size, 2);
  EXPECT_EQ(smallest.world_size(), 1);
}

}  // namespace
}  // namespace zerocts
