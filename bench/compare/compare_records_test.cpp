#include "bench/compare/compare_records.hpp"

#include <gtest/gtest.h>

#include "bench/record/record_for_test.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr double kConfidence = 0.99;

/// Samples around 0.1 s, `factor` times as long.
BenchRecord Times(double factor) {
  BenchRecord record = FullRecord();
  record.samples.clear();
  for (int i = 0; i < 30; ++i) record.samples.push_back(factor * (0.1 + 1e-5 * ((7 * i) % 10)));
  record.value = factor * 0.1;
  return record;
}

BenchRecord Bytes(double count) {
  BenchRecord record = FullRecord();
  record.name = "sent_bytes";
  record.direction = Direction::kEqual;
  record.unit = "byte";
  record.value = count;
  record.samples.clear();
  return record;
}

ComparisonVerdict VerdictOfOne(const BenchRecord& a, const BenchRecord& b) {
  const auto rows = CompareRecords({a}, {b}, kConfidence);
  EXPECT_EQ(rows.size(), 1u);
  return rows.front().verdict;
}

std::string Refusal(const std::vector<BenchRecord>& a, const std::vector<BenchRecord>& b) {
  try {
    CompareRecords(a, b, kConfidence);
  } catch (const UsageError& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}

TEST(CompareRecords, ShowsTimesAndJudgesNone) {
  const auto rows = CompareRecords({Times(1)}, {Times(1.5)}, kConfidence);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0].cost.ratio, 1.5, 1e-3);
  EXPECT_GT(rows[0].cost.interval.low, 1.4);
  EXPECT_EQ(rows[0].verdict, ComparisonVerdict::kNotPaired);
}

TEST(CompareRecords, MissesCountsThatAreGone) {
  BenchRecord calls = Bytes(3);
  calls.name = "calls";
  const auto gone = CompareRecords({Bytes(100), calls}, {Bytes(100)}, kConfidence);
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[1].name, "native/calls");
  EXPECT_EQ(gone[1].first, 3);
  EXPECT_EQ(gone[1].second, std::nullopt);
  EXPECT_EQ(gone[1].verdict, ComparisonVerdict::kDifferent);
  const auto fresh = CompareRecords({Bytes(100)}, {Bytes(100), calls}, kConfidence);
  ASSERT_EQ(fresh.size(), 2u);
  EXPECT_EQ(fresh[1].second, 3);
  EXPECT_EQ(fresh[1].verdict, ComparisonVerdict::kNew);
}

TEST(CompareRecords, TellsSubjectsApartAndLeavesTheBoundOut) {
  BenchRecord bound = Times(1), slower_bound = Times(2), other = Times(1);
  bound.subject = slower_bound.subject = kBoundAsSubject;
  other.subject = "minimal";
  const auto rows = CompareRecords({Times(1), bound, other}, {other, slower_bound, Times(1)}, kConfidence);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "minimal/" + other.name);
  EXPECT_EQ(rows[1].name, "native/" + other.name);
}

TEST(CompareRecords, KnowsWhichDirectionIsGood) {
  BenchRecord slow = Times(1), fast = Times(1.2);
  slow.direction = fast.direction = Direction::kBigger;
  EXPECT_LT(CompareRecords({slow}, {fast}, kConfidence)[0].cost.ratio, 0.9);
  EXPECT_GT(CompareRecords({fast}, {slow}, kConfidence)[0].cost.ratio, 1.1);
}

TEST(CompareRecords, HoldsBytesByEqualityOnAnyMachine) {
  BenchRecord elsewhere = Bytes(100);
  elsewhere.machine.fingerprint = "another";
  EXPECT_EQ(VerdictOfOne(Bytes(100), elsewhere), ComparisonVerdict::kSame);
  EXPECT_EQ(VerdictOfOne(Bytes(100), Bytes(101)), ComparisonVerdict::kDifferent);
  EXPECT_EQ(VerdictOfOne(Bytes(101), Bytes(100)), ComparisonVerdict::kDifferent);
}

TEST(CompareRecords, RefusesTimesOfTwoMachines) {
  BenchRecord elsewhere = Times(1);
  elsewhere.machine.fingerprint = "another";
  EXPECT_TRUE(Refusal({Times(1)}, {elsewhere}).starts_with("step_time/stage=2/ranks=2: expected times of one machine"));
}

TEST(CompareRecords, TakesTheLastOfTheSameName) {
  const auto rows = CompareRecords({Bytes(1), Bytes(2)}, {Bytes(3), Bytes(2)}, kConfidence);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].verdict, ComparisonVerdict::kSame);
}

TEST(CompareRecords, RefusesWhatSaysNothing) {
  EXPECT_TRUE(Refusal({Times(1)}, {Bytes(1)}).starts_with("expected figures that both files have, got none"));
  EXPECT_NE(
      Refusal({Times(1)}, {FailedRecord("rank 1 crashed")}).find("expected a figure, got an error: rank 1 crashed"),
      std::string::npos);
  BenchRecord of_another_unit = Times(1), of_another_direction = Times(1), of_zero = Times(0);
  of_another_unit.unit = "ms";
  of_another_direction.direction = Direction::kBigger;
  EXPECT_NE(Refusal({Times(1)}, {of_another_unit}).find(R"(got "s, smaller" and "ms, smaller")"), std::string::npos);
  EXPECT_NE(Refusal({Times(1)}, {of_another_direction}).find(R"("s, bigger")"), std::string::npos);
  EXPECT_NE(Refusal({Times(1)}, {of_zero}).find("expected samples above 0"), std::string::npos);
  BenchRecord crowded = Times(1);
  crowded.oversubscribed = true;
  EXPECT_TRUE(Refusal({crowded}, {crowded}).starts_with("expected counts, or times with samples"));
}

TEST(RatioRecords, AreOfTimesAlone) {
  const ComparisonRow time{.name = "step/stage=1",
                           .unit = "s",
                           .first = 2,
                           .second = 3,
                           .cost = {1.5, {1.4, 1.6}},
                           .pairs = 2,
                           .ratios = {1.45, 1.55}};
  const ComparisonRow count{.name = "bytes", .unit = "byte", .first = 7, .second = 7};
  const auto records = RatioRecords({time, count}, "old", "new", 0.99);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].name, "ratio/step/stage=1/than=old");
  EXPECT_EQ(records[0].subject, "new");
  EXPECT_EQ(records[0].value, 1.5);
  EXPECT_EQ(records[0].samples, (std::vector<double>{1.45, 1.55}));
  EXPECT_EQ(records[0].interval->low, 1.4);
  EXPECT_EQ(records[0].interval->confidence, 0.99);
  EXPECT_NO_THROW(LineOf(records[0]));
}

}  // namespace
}  // namespace zerocts
