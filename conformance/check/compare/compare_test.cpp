// Values that differ are found, and the first of them is reported.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "conformance/check/compare/compare.hpp"
#include "conformance/check/compare/runs.hpp"
#include "conformance/check/cost/memory.hpp"
#include "conformance/check/expected/program_order.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"
#include "conformance/check/for_test/watched_run.hpp"
#include "conformance/check/observation/agreement.hpp"
#include "conformance/check/observation/tiling.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

RC_GTEST_PROP(Compare, APerfectObservationPassesEveryCheck, ()) {
  const Watched run(*AnyCase());
  RC_ASSERT(!run.Compare());
  RC_ASSERT(!CheckTiling(run.c, run.ranks));
  RC_ASSERT(!CheckAgreement(run.c, run.ranks));
  Evidence evidence;
  RC_ASSERT(!CheckMemory(run.c, run.ranks, {}, evidence));
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

RC_GTEST_PROP(Compare, OfTwoWrongElementsTheEarlierIsReported, ()) {
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

TEST(Compare, SaysThatAFrozenParameterWasUpdated) {
  Watched run(SemanticsCase());
  run.Record(0, "parameter", 0, 2).values[0] += 1;
  EXPECT_EQ(run.Compare()->divergence->causes, std::vector<std::string>{"a frozen parameter was updated"});
}

TEST(Compare, SaysWhatDidNotComeBackFromACheckpoint) {
  Case c = SmallCase();
  c.checkpoint = Checkpoint{.after_step = 0};
  Watched run(c);
  TensorRecord& record = run.Record(0, AfterResume("parameter"), 0, 0);
  ASSERT_FALSE(record.values.empty());
  for (size_t i = 0; i < record.values.size(); ++i)
    record.values[i] = 1 - run.expected.initial_parameter[0][record.interval.begin + i] / 2;
  EXPECT_EQ(run.Compare()->divergence->causes,
            std::vector<std::string>{"parameters of the checkpoint did not come back: as after open"});
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

TEST(Compare, TheFirstOfSeveralElementsIsReported) {
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
  EXPECT_NE(run.Compare()->sentence.find("rank 2 reported 0 losses in step 0"), std::string::npos);
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

}  // namespace
}  // namespace zerocts
