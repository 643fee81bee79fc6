#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/cases/reshard.hpp"
#include "conformance/check/agreement.hpp"
#include "conformance/check/compare.hpp"
#include "conformance/check/difference.hpp"
#include "conformance/check/expected.hpp"
#include "conformance/check/finding.hpp"
#include "conformance/check/memory.hpp"
#include "conformance/check/perfect_observation.hpp"
#include "conformance/check/program_order.hpp"
#include "conformance/check/runs.hpp"
#include "conformance/check/test_cases.hpp"
#include "conformance/check/tiling.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

struct Watched {
  Case c;
  Ownership owned;
  Expected expected;
  std::vector<RankObservation> ranks;

  explicit Watched(Case of)
      : c(std::move(of)), owned(ContiguousOwnership(c)), expected(ExpectedOf(c, OrderOf(c, owned))) {
    ranks = PerfectObservation(c, expected, owned);
  }

  std::optional<Finding> Compare(const CompareOptions& options = {}) const {
    return CompareWithReference(c, ranks, expected, options);
  }

  TensorRecord& Record(int rank, const std::string& what, int64_t step, int parameter) {
    for (TensorRecord& record : ranks[rank].tensors) {
      if (record.what == what && record.step == step && record.parameter == parameter) return record;
    }
    throw std::logic_error("no such record");
  }
};

void FlipLastBit(float& x) { x = FromBits(Bits(x) ^ 1u); }

RC_GTEST_PROP(Compare, APerfectObservationPassesEveryCheck, ()) {
  const Watched run(*AnyCase());
  RC_ASSERT(!run.Compare());
  RC_ASSERT(!CheckTiling(run.c, run.ranks));
  RC_ASSERT(!CheckAgreement(run.c, run.ranks));
  RC_ASSERT(!CheckMemory(run.c, run.ranks, {}));
  RC_ASSERT(!CompareRuns(run.c, run.ranks, run.c, run.ranks, "nothing"));
}

RC_GTEST_PROP(Compare, FindsOneWrongBitWhereverItIs, ()) {
  Watched run(*AnyCase());
  const int rank = *rc::gen::inRange(0, run.c.world_size());
  std::vector<TensorRecord>& tensors = run.ranks[rank].tensors;
  std::erase_if(tensors, [](const TensorRecord& record) { return record.values.empty(); });
  RC_PRE(!tensors.empty());
  TensorRecord& record = tensors[*rc::gen::inRange<size_t>(0, tensors.size())];
  const int64_t i = *rc::gen::inRange<int64_t>(0, record.values.size());
  RC_PRE(std::isfinite(record.values[i]));  // of an overflow there may be others
  FlipLastBit(record.values[i]);
  const auto finding = run.Compare();
  RC_ASSERT(finding && finding->divergence);
  const Divergence& d = *finding->divergence;
  RC_ASSERT(d.step == record.step);
  RC_ASSERT(d.phase == record.phase);
  RC_ASSERT(d.rank == rank);
  RC_ASSERT(d.element == record.interval.begin + i);
  RC_ASSERT(d.ulp == 1u);
  RC_ASSERT(d.differing == 1);
  RC_ASSERT(d.compared == static_cast<int64_t>(record.values.size()));
}

RC_GTEST_PROP(Compare, OfTwoWrongElementsTheEarlierIsTold, ()) {
  Watched run(*AnyCase());
  std::vector<Shown> tensors;
  for (const Shown& shown : InProgramOrder(run.ranks)) {
    const bool finite = shown.record && !shown.record->values.empty() && std::isfinite(shown.record->values.front());
    if (finite) tensors.push_back(shown);
  }
  RC_PRE(tensors.size() >= 2u);
  const size_t first = *rc::gen::inRange<size_t>(0, tensors.size() - 1),
               second = *rc::gen::inRange(first + 1, tensors.size());
  for (const size_t wrong : {first, second}) {
    FlipLastBit(const_cast<TensorRecord*>(tensors[wrong].record)->values.front());
  }
  const auto finding = run.Compare();
  RC_ASSERT(finding && finding->divergence);
  RC_ASSERT(finding->divergence->step == tensors[first].step);
  RC_ASSERT(finding->divergence->phase == tensors[first].phase);
  RC_ASSERT(finding->divergence->rank == tensors[first].rank);
  RC_ASSERT(finding->divergence->interval == tensors[first].record->interval);
}

TEST(Compare, ProgramOrderIsStepThenPhaseThenRank) {
  Watched run(SmallCase());
  const auto phase_of_finding = [&] { return run.Compare()->divergence->phase; };
  run.Record(0, "parameter", 1, 0).values[0] += 1;
  EXPECT_EQ(run.Compare()->divergence->step, 1);
  run.Record(2, "parameter", 0, 0).values[3] += 1;
  EXPECT_EQ(phase_of_finding(), Phase::kGather);
  EXPECT_EQ(run.Compare()->divergence->step, 0);
  run.Record(2, "master", 0, 3).values[0] += 1;
  EXPECT_EQ(phase_of_finding(), Phase::kUpdate);
  run.ranks[2].scalars[0].grad_norm *= 2;
  EXPECT_EQ(phase_of_finding(), Phase::kNorm);
  run.Record(1, "gradient", 0, 3).values[0] *= 2;
  EXPECT_EQ(phase_of_finding(), Phase::kReduce);
  run.Record(2, "parameter_before_step", 0, 3).values[0] += 1;
  EXPECT_EQ(phase_of_finding(), Phase::kMicroBatch);
  run.Record(2, "parameter", -1, 3).values[0] += 1;
  EXPECT_EQ(phase_of_finding(), Phase::kLoad);
  EXPECT_EQ(run.Compare()->sentence, "w2 on rank 2 differs from the reference after load");
}

TEST(Compare, LossScalesAndSkips) {
  Watched run(SemanticsCase());
  ASSERT_TRUE(run.expected.steps[1].skipped);
  ASSERT_FALSE(run.Compare());
  for (RankObservation& rank : run.ranks) rank.scalars[1].clip_coefficient = 0.5f;  // of a skipped step nobody cares
  EXPECT_FALSE(run.Compare());
  run.ranks[4].scalars[1].skipped = false;
  EXPECT_EQ(run.Compare()->sentence,
            "step 1 was skipped by ranks 0, 1, 2, 3, 5 and taken by rank 4: expected all to skip it");
  EXPECT_EQ(run.Compare()->divergence->tensor, "skipped");
  EXPECT_EQ(run.Compare()->divergence->rank, 4);
  EXPECT_EQ(run.Compare()->divergence->phase, Phase::kNorm);
  EXPECT_FALSE(run.Compare({.scaling = false}));
  run.ranks[4].scalars[1].grad_norm = 5;  // as who does not see the overflow has it
  EXPECT_EQ(run.Compare()->divergence->tensor, "skipped");
  for (RankObservation& rank : run.ranks) rank.scalars[1].skipped = false;
  EXPECT_EQ(run.Compare()->sentence, "skipped on rank 0 differs from the reference in step 1");
  run.ranks[2].scalars[1].loss_scale = 4;
  EXPECT_EQ(run.Compare()->divergence->tensor, "loss_scale");
  EXPECT_EQ(run.Compare()->divergence->phase, Phase::kMicroBatch);
  EXPECT_EQ(run.Compare()->divergence->got, 4);
  run.ranks[5].scalars[0].skipped = true;
  EXPECT_EQ(run.Compare()->sentence,
            "step 0 was skipped by rank 5 and taken by ranks 0, 1, 2, 3, 4: expected all to take it");
}

TEST(Compare, StatesAndGradientsThatAParameterDoesNotHave) {
  const auto sentence_with = [](const std::string& what, int64_t step, int parameter) {
    Watched run(SemanticsCase());
    run.ranks[1].tensors.push_back({step, PhaseOf(what, step), what, parameter, {0, 1}, "", {1.0f}});
    const auto finding = run.Compare();
    return finding ? finding->sentence : "nothing";
  };
  const std::string start = "rank 1 showed a tensor that the case does not have: expected a parameter that has ";
  EXPECT_EQ(sentence_with("master", 0, 1), start + "master, got mask");
  EXPECT_EQ(sentence_with("momentum", 0, 3), start + "momentum, got a2");
  EXPECT_EQ(sentence_with("gradient", 0, 2), start + "gradient, got b");  // frozen
  EXPECT_EQ(sentence_with("gradient", 2, 2), start + "gradient, got b");
  EXPECT_NE(sentence_with("gradient", 1, 2), start + "gradient, got b");
}

TEST(Compare, TheFirstOfSeveralElementsIsTold) {
  Watched run(SmallCase());
  for (const int i : {2, 4, 5}) run.Record(1, "parameter", 0, 3).values[i] += 1;
  const Divergence d = *run.Compare()->divergence;
  EXPECT_EQ(d.element, 2);
  EXPECT_EQ(d.expected, run.expected.steps[0].parameter[3][2]);
  EXPECT_EQ(d.got, d.expected + 1);
  EXPECT_EQ(d.differing, 3);
  EXPECT_EQ(d.compared, 6);
}

TEST(Compare, NanEqualsNanAndMinusZeroDiffers) {
  Watched run(SmallCase());
  run.expected.steps[0].parameter[0][2] = std::numeric_limits<float>::quiet_NaN();
  run.expected.steps[0].parameter[3][1] = 0.0f;
  run.ranks = PerfectObservation(run.c, run.expected, run.owned);
  run.Record(1, "parameter", 0, 0).values[2] = FromBits(0xffc00001u);
  EXPECT_FALSE(run.Compare());
  run.Record(1, "parameter", 0, 3).values[1] = -0.0f;
  EXPECT_EQ(run.Compare()->divergence->ulp, 1u);
  run.Record(1, "parameter", 0, 0).values[2] = 1.0f;
  EXPECT_EQ(run.Compare()->divergence->ulp, UINT64_MAX);
  EXPECT_NE(ToString(*run.Compare()->divergence).find("one of the two is NaN"), std::string::npos);
}

TEST(Compare, OptionsSwitchPartsOff) {
  Watched run(SmallCase());
  run.Record(0, "parameter", 0, 0).values[0] += 1;
  EXPECT_FALSE(run.Compare({.parameters = false}));
  run.Record(0, "exp_avg_sq", 0, 0).values[0] += 1;
  EXPECT_FALSE(run.Compare({.parameters = false, .states = false}));
  run.Record(0, "gradient", 0, 0).values[0] += 1;
  EXPECT_FALSE(run.Compare({.parameters = false, .states = false, .gradient = false}));
  run.ranks[1].scalars[1].clip_coefficient = 1;
  EXPECT_FALSE(run.Compare({.parameters = false, .states = false, .gradient = false, .norm = false}));
  EXPECT_EQ(run.Compare({.parameters = false, .states = false, .gradient = false})->divergence->tensor,
            "clip_coefficient");
}

TEST(Compare, AnUncomputedNormIsAllowedWhereNothingIsClipped) {
  Watched clipped(SmallCase());
  clipped.ranks[1].scalars[0].grad_norm = std::nanf("");
  EXPECT_EQ(clipped.Compare()->divergence->tensor, "grad_norm");
  Case c = SmallCase();
  c.experiment.max_norm = 0;
  Watched unclipped(c);
  unclipped.ranks[1].scalars[0].grad_norm = std::nanf("");
  EXPECT_FALSE(unclipped.Compare());
}

TEST(Compare, LossesAreComparedInDouble) {
  Watched run(CasesOf(ModelSpace(), {3, Precision::kFp32, {}}, EverythingCapable())(rc::Random(1), 50).value());
  ASSERT_FALSE(run.Compare());
  double& loss = run.ranks[2].scalars[0].losses[0];
  loss = std::nextafter(loss, 10.0);
  EXPECT_EQ(run.Compare()->divergence->tensor, "loss of micro-batch 0");
  EXPECT_EQ(run.Compare()->divergence->rank, 2);
  EXPECT_FALSE(run.Compare({.losses = false}));
  run.ranks[2].scalars[0].losses.clear();
  EXPECT_NE(run.Compare()->sentence.find("rank 2 told 0 losses in step 0"), std::string::npos);
}

TEST(Compare, LargePiecesAreComparedByHashUntilTheyAreFetched) {
  Watched run(SmallCase());
  TensorRecord& record = run.Record(1, "parameter", 1, 3);
  record.hash = HashOf(record.values);
  const std::vector<float> values = std::exchange(record.values, {});
  EXPECT_FALSE(run.Compare());
  record.hash[0] = record.hash[0] == '0' ? '1' : '0';
  EXPECT_NE(run.Compare()->sentence.find("by its hash"), std::string::npos);
  EXPECT_FALSE(run.Compare()->divergence);
}

TEST(Compare, WhatWasNotShownIsAFinding) {
  const auto sentence_without = [](auto take_away) {
    Watched run(SmallCase());
    take_away(run);
    const auto finding = run.Compare();
    return finding ? finding->sentence : "nothing";
  };
  const auto without_record = [&](int rank, const std::string& what, int64_t step, int parameter) {
    return sentence_without([&](Watched& run) {
      std::erase_if(run.ranks[rank].tensors, [&](const TensorRecord& r) {
        return r.what == what && r.step == step && r.parameter == parameter;
      });
    });
  };
  EXPECT_EQ(without_record(2, "parameter", 1, 0), "rank 2 did not show w1 in step 1: expected all of its elements");
  EXPECT_EQ(without_record(2, "parameter", -1, 0), "rank 2 did not show w1 after load: expected all of its elements");
  EXPECT_EQ(without_record(0, "parameter_again", 0, 3),
            "rank 0 did not show w2 (second read) in step 0: expected all of its elements");
  EXPECT_EQ(without_record(1, "exp_avg", 0, 3),
            "rank 1 did not show exp_avg of w2 in step 0: expected all of its elements");
  EXPECT_EQ(without_record(1, "gradient", 1, 2),
            "rank 1 did not show gradient of scale in step 1: expected all of its elements");
  EXPECT_EQ(without_record(1, "parameter", 0, 1), "nothing");  // it has no elements
  EXPECT_EQ(sentence_without([](Watched& run) { run.ranks[1].scalars.pop_back(); }),
            "rank 1 did not tell its norm and clip coefficient in step 1");
  EXPECT_EQ(sentence_without([](Watched& run) { run.ranks.pop_back(); }), "2 ranks were observed: expected 3");
  EXPECT_EQ(sentence_without([](Watched& run) { std::swap(run.ranks[0], run.ranks[1]); }),
            "rank 1 was observed in place of rank 0");
  EXPECT_NE(sentence_without([](Watched& run) { run.ranks[1].input_hash = "0"; }).find("rank 1 was not fed this case"),
            std::string::npos);
}

TEST(Compare, WhatTheCaseDoesNotHaveIsAFinding) {
  const auto sentence_with = [](auto change) {
    Watched run(SmallCase());
    change(run.Record(1, "exp_avg", 0, 3));
    const auto finding = run.Compare();
    return finding ? finding->sentence : "nothing";
  };
  const std::string start = "rank 1 showed a tensor that the case does not have: expected ";
  EXPECT_EQ(sentence_with([](TensorRecord& r) { r.what = "momentum"; }), start + "a tensor of adamw, got momentum");
  EXPECT_EQ(sentence_with([](TensorRecord& r) { r.what = "variance"; }), start + "a tensor of adamw, got variance");
  EXPECT_EQ(sentence_with([](TensorRecord& r) { r.step = 2; }), start + "a step below 2, got 2");
  EXPECT_EQ(sentence_with([](TensorRecord& r) { r.parameter = 4; }), start + "a parameter below 4, got 4");
  EXPECT_EQ(sentence_with([](TensorRecord& r) {
              r.interval = {3, 7};
            }),
            start + "an interval of the 6 elements of w2, got [3, 7)");
  EXPECT_EQ(sentence_with([](TensorRecord& r) { r.values.pop_back(); }),
            start + "3 values for elements [0, 3) of w2, got 2");
}

TEST(Compare, WhatWasLoadedIsShownOnceMoreAndNowhereElse) {
  Case c = SmallCase();
  c.checkpoint = {0, CheckpointUse::kResume};
  const auto finding_with = [&](auto change) {
    Watched run(c);
    change(run);
    return run.Compare();
  };
  EXPECT_FALSE(finding_with([](Watched&) {}));
  const auto wrong =
      finding_with([](Watched& run) { FlipLastBit(run.Record(1, "exp_avg_after_resume", 0, 3).values[0]); });
  EXPECT_EQ(wrong->sentence, "exp_avg of w2 (after resume) on rank 1 differs from the reference in step 0");
  EXPECT_EQ(wrong->divergence->phase, Phase::kResume);
  const auto without = [&](const std::string& what) {
    return finding_with([&](Watched& run) {
      std::erase_if(run.ranks[1].tensors, [&](const TensorRecord& r) { return r.what == what; });
    });
  };
  EXPECT_EQ(without("parameter_after_resume")->sentence,
            "rank 1 did not show w1 (after resume) in step 0: expected all of its elements");
  EXPECT_EQ(without("exp_avg_after_resume")->sentence,
            "rank 1 did not show exp_avg of scale (after resume) in step 0: expected all of its elements");
  const auto elsewhere = finding_with([](Watched& run) { run.Record(1, "parameter_after_resume", 0, 0).step = 1; });
  EXPECT_EQ(elsewhere->sentence,
            "rank 1 showed a tensor that the case does not have: expected nothing that was loaded in step 1, got "
            "parameter_after_resume");
  const auto of_a_gradient =
      finding_with([](Watched& run) { run.Record(1, "parameter_after_resume", 0, 0).what = "gradient_after_resume"; });
  EXPECT_NE(of_a_gradient->sentence.find("a tensor of adamw, got gradient_after_resume"), std::string::npos);
}

TEST(Compare, RanksThatLoadWhatOthersSavedShowItAndWhatTheyTrainThemselves) {
  Case c = SmallCase();
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 4};
  const Case loading = LoadingRun(c);
  EXPECT_EQ(loading.world_size(), 4);
  const auto finding_with = [&](auto change) {
    Watched run(loading);
    change(run);
    return run.Compare();
  };
  EXPECT_FALSE(finding_with([](Watched&) {}));
  EXPECT_FALSE(CheckTiling(loading, Watched(loading).ranks));
  const Case savers = RunOfSavers(loading);
  EXPECT_EQ(Watched(loading).Record(3, "parameter_after_resume", 0, 0).values,
            Watched(savers).Record(0, "parameter", 0, 0).values);
  const auto without = [&](const std::string& what) {
    return finding_with([&](Watched& run) {
      std::erase_if(run.ranks[3].tensors, [&](const TensorRecord& r) { return r.what == what; });
    });
  };
  EXPECT_NE(without("parameter_after_resume")->sentence.find("rank 3 did not show"), std::string::npos);
  EXPECT_NE(without("exp_avg_sq_after_resume")->sentence.find("rank 3 did not show"), std::string::npos);
  const auto too_early = finding_with([](Watched& run) { run.Record(1, "parameter", 1, 0).step = 0; });
  EXPECT_EQ(too_early->sentence,
            "rank 1 showed a tensor that the case does not have: expected nothing but what was loaded in step 0, got "
            "parameter");
}

TEST(Compare, TheLastStepsStatesAreShownByThoseWhoOnlyLoadThem) {
  Case c = SmallCase();
  const int64_t last = c.experiment.steps - 1;
  c.checkpoint = {.after_step = last, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 2};
  Watched run(LoadingRun(c));
  EXPECT_FALSE(run.Compare());
  EXPECT_TRUE(run.ranks[0].scalars.empty());
  std::erase_if(run.ranks[1].tensors, [&](const TensorRecord& r) { return r.what == "master_after_resume"; });
  EXPECT_TRUE(run.Compare());
}

TEST(Divergence, AsText) {
  Divergence d;
  d.step = 1;
  d.phase = Phase::kUpdate;
  d.rank = 2;
  d.tensor = "exp_avg of w1";
  d.element = 17;
  d.interval = {12, 20};
  d.expected = 1.5f;
  d.got = 1.75f;
  d.ulp = 2097152;
  d.differing = 3;
  d.compared = 8;
  d.note = "2 x expected: counted twice?";
  EXPECT_EQ(ToString(d),
            "step 1, update, rank 2: exp_avg of w1, element 17 (piece [12, 20), 3 of 8 elements differ)\n"
            "  expected 1.5             0x3fc00000\n"
            "  got      1.75            0x3fe00000\n"
            "  2097152 ulp apart\n"
            "  note: 2 x expected: counted twice?");
  d.around = {{16, 0.5f, 0.5f}, {17, 1.5f, 1.75f}};
  EXPECT_TRUE(
      ToString(d).ends_with("?\n  around it, expected and got:\n"
                            "          16  0.5             0x3f000000  0.5             0x3f000000\n"
                            "  >       17  1.5             0x3fc00000  1.75            0x3fe00000"))
      << ToString(d);
}

TEST(Divergence, HasTheElementsBesideIt) {
  const Case c = SmallCase();
  TensorRecord record{.what = "parameter", .interval = {4, 9}, .values = {1, 2, 3, 4, 5}};
  const auto around = [&](const std::vector<float>& expected) {
    std::vector<int64_t> elements;
    const Divergence d = DivergenceAt(c.experiment, 0, record, expected, *DifferenceOf(expected, record.values));
    for (const ElementValues& values : d.around) elements.push_back(values.element);
    return elements;
  };
  EXPECT_EQ(around({0, 2, 3, 4, 5}), (std::vector<int64_t>{4, 5, 6})) << "none before the piece";
  EXPECT_EQ(around({1, 2, 0, 4, 5}), (std::vector<int64_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(around({1, 2, 3, 4, 0}), (std::vector<int64_t>{6, 7, 8})) << "none behind it";
}

}  // namespace
}  // namespace zerocts
