// What a rank must show is missed, and what it cannot have is refused.
#include <gtest/gtest.h>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/check/compare/compare.hpp"
#include "conformance/check/compare/runs.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/test_cases.hpp"
#include "conformance/check/for_test/watched_run.hpp"
#include "conformance/check/observation/tiling.hpp"

namespace zerocts {
namespace {

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

}  // namespace
}  // namespace zerocts
