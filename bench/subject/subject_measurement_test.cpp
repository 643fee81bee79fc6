#include "bench/subject/subject_measurement.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

/// A bound that was measured beside other processes, and what measuring it again gives.
BenchMember BoundAfter(const std::vector<double>& measured, double steps, const std::vector<double>& again,
                       size_t& repeats) {
  BenchMember bound{.subject = kBoundAsSubject, .bound_seconds = measured};
  KeepBestTime(bound, steps, [&](BenchMember& member) {
    member.bound_seconds.push_back(again.at(std::min(repeats++, again.size() - 1)));
  });
  return bound;
}

TEST(Bound, IsItsBestTime) {
  size_t repeats = 0;
  EXPECT_EQ(BoundAfter({0.3, 0.1, 4.0}, 0.2, {9}, repeats).bound_seconds, std::vector{0.1});
  EXPECT_EQ(repeats, 0u);
}

TEST(Bound, IsMeasuredAgainWhileItIsAboveTheSteps) {
  size_t repeats = 0;
  const BenchMember bound = BoundAfter({4.2, 4.1}, 0.18, {3, 0.5, 0.15}, repeats);
  EXPECT_EQ(bound.bound_seconds, std::vector{0.15});
  EXPECT_EQ(bound.error, "");
  EXPECT_EQ(repeats, 3u);
}

TEST(Bound, OfABusyMachineIsNotShown) {
  size_t repeats = 0;
  const BenchMember bound = BoundAfter({4.2, 4.1}, 0.18, {3}, repeats);
  EXPECT_EQ(repeats, 20u);
  const std::string table = TableOf({bound}, {});
  EXPECT_NE(table.find(" not measured, machine busy\n"), std::string::npos) << table;
  EXPECT_EQ(table.find("4.2"), std::string::npos);
  std::vector<BenchRecord> records;
  AddRecords({bound}, {}, records);
  EXPECT_TRUE(records.empty());
}

}  // namespace
}  // namespace zerocts
