#include "bench/record/figures.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

const Parameters kStage2 = {{"stage", 2}, {"ranks", 1}, {"model", "tiny"}};

TEST(Figures, HaveNamesThatSayWhatTheyAreOf) {
  EXPECT_EQ(NameOfFigure("step_time", kStage2), "step_time/model=tiny/ranks=1/stage=2");
  EXPECT_EQ(NameOfFigure("copy", Parameters::object()), "copy");
}

TEST(Figures, OfTimesAreMediansWithAnIntervalWhereThereAreEnough) {
  Figures figures;
  const BenchRecord few = figures.AddTime("step_time", kStage2, {3, 1, 2});
  EXPECT_EQ(few.value, 2);
  EXPECT_FALSE(few.interval);
  const BenchRecord many = figures.AddTime("step_time", kStage2, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(many.interval);
  EXPECT_EQ(many.interval->low, 1);
  EXPECT_EQ(many.interval->high, 6);
  EXPECT_EQ(many.samples.size(), 6u);
  EXPECT_EQ(many.direction, Direction::kSmaller);
}

TEST(Figures, ThatAreCountsHaveToBeEqual) {
  Figures figures;
  EXPECT_EQ(figures.AddCount("bytes", kStage2, "byte", 12).direction, Direction::kEqual);
}

TEST(Figures, ThatFailAreErrorsAndTheOthersStay) {
  Figures figures;
  EXPECT_TRUE(figures.Try("a", kStage2, [&] { figures.AddCount("a", kStage2, "byte", 1); }));
  EXPECT_FALSE(figures.failed());
  EXPECT_FALSE(figures.Try("b", kStage2, [] { throw std::runtime_error("rank 1 crashed"); }));
  EXPECT_TRUE(figures.failed());
  ASSERT_EQ(figures.records().size(), 2u);
  EXPECT_EQ(figures.records()[1].error, "rank 1 crashed");
  EXPECT_FALSE(figures.records()[1].value);
  for (const BenchRecord& record : figures.records()) EXPECT_NO_THROW(LineOf(record));
}

TEST(Figures, OfMoreRanksThanCoresAreOversubscribed) {
  Figures figures;
  EXPECT_FALSE(figures.AddCount("a", kStage2, "byte", 1).oversubscribed);
  Parameters many = kStage2;
  many["ranks"] = 1 << 20;
  EXPECT_TRUE(figures.AddCount("a", many, "byte", 1).oversubscribed);
}

}  // namespace
}  // namespace zerocts
