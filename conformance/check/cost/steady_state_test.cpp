#include "conformance/check/cost/steady_state.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace zerocts {
namespace {

constexpr int64_t kFewSteps = 160;

Case SteadyCase() {
  Case c;
  c.experiment.parameters = {{"w", {100}, 0}};
  c.experiment.steps = kFewSteps;
  return c;
}

/// A rank whose calls leave what `edit` makes of the same row.
RankObservation Rank(const std::function<void(Resources&)>& edit) {
  RankObservation rank{.owned = {{{0, 50}}}};
  for (int64_t step = 0; step < kFewSteps; ++step) {
    for (const char* call : {"accumulate", "step"}) {
      Resources row{.step = step, .call = call, .cpu_ns = 1000, .blocks = 5, .block_bytes = 500};
      row.heap_bytes = 10000;
      row.mapped_bytes = 100000;
      row.files = 7;
      row.threads = 3;
      edit(row);
      rank.resources.push_back(row);
    }
  }
  return rank;
}

std::string Sentence(const RankObservation& rank) {
  Evidence evidence;
  const auto finding = CheckCountsAreSteady(SteadyCase(), {rank}, evidence);
  return finding ? finding->sentence : "nothing";
}

TEST(SteadyState, NothingGrows) {
  Evidence evidence;
  EXPECT_FALSE(CheckCountsAreSteady(SteadyCase(), {Rank([](Resources&) {})}, evidence));
  EXPECT_EQ(evidence.best(), FigureSource::kKernel);
  EXPECT_TRUE(evidence.not_measured().empty());
}

TEST(SteadyState, NamesWhatGrowsByHowMuchFromWhereInWhichCall) {
  RankObservation rank = Rank([](Resources& row) {
    const bool after = row.call == "step";
    if (row.step >= 6) row.blocks += 2 * (row.step - 6) + (after ? 2 : 0);
  });
  rank.grown = {{"block of optimizer memory", 200, 58}};
  EXPECT_EQ(Sentence(rank),
            "rank 0: blocks of the host's alloc grow by 2 per step from step 6 on, most in step: 5 after step 5, 313 "
            "after step 159; 58 more: block of optimizer memory, 200 bytes each (as large as the rank's 50 elements of "
            "parameter 0 in fp32)");
}

TEST(SteadyState, SeesEachQuantity) {
  const std::pair<const char*, int64_t Resources::*> quantities[] = {
      {"bytes of the host's alloc", &Resources::block_bytes},
      {"objects", &Resources::objects},
      {"open files", &Resources::files},
      {"threads", &Resources::threads},
      {"bytes in use in the heap", &Resources::heap_bytes},
      {"mapped bytes", &Resources::mapped_bytes}};
  for (const auto& [name, value] : quantities) {
    const std::string sentence =
        Sentence(Rank([&, value = value](Resources& row) { row.*value = 100'000 * (10 + row.step); }));
    EXPECT_NE(sentence.find(name), std::string::npos) << sentence;
  }
}

TEST(SteadyState, ALogMayGrowInTheHeap) {
  EXPECT_EQ(Sentence(Rank([](Resources& row) { row.heap_bytes += 4000 * row.step; })), "nothing");
  EXPECT_NE(Sentence(Rank([](Resources& row) { row.heap_bytes += 20000 * row.step; })), "nothing");
}

TEST(SteadyState, SeesALeakOfEveryThirdStepAlone) {
  EXPECT_NE(Sentence(Rank([](Resources& row) { row.files += row.step / 3; })), "nothing");
}

TEST(SteadyState, CachesMayFillAndWhatIsFreedLaterIsNoGrowth) {
  EXPECT_EQ(Sentence(Rank([](Resources& row) { row.heap_bytes += 64 * std::min<int64_t>(row.step, 25); })), "nothing");
  EXPECT_EQ(Sentence(Rank([](Resources& row) { row.objects = 100 + row.step % 7; })), "nothing");
  EXPECT_EQ(Sentence(Rank([](Resources& row) { row.threads += row.step > 20; })), "nothing");
}

TEST(SteadyState, WhatNobodyCountedIsNotMeasured) {
  const RankObservation rank = Rank([](Resources& row) { row.files = row.threads = Resources::kNotRead; });
  Evidence evidence;
  EXPECT_FALSE(CheckCountsAreSteady(SteadyCase(), {rank}, evidence));
  EXPECT_EQ(evidence.not_measured(), (std::set<std::string>{"open files", "threads"}));
  EXPECT_TRUE(ShowsResources({rank}));
  EXPECT_FALSE(ShowsResources({RankObservation()}));
}

}  // namespace
}  // namespace zerocts
