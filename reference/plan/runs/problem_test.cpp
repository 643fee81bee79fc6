// Plans that cannot be judged: each gets one sentence, and nothing wraps around, throws or reads what is not there.
#include "reference/plan/runs/problem.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "reference/plan/for_test/plans.hpp"

namespace zerocts::plan {
namespace {

constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();

void ExpectProblem(const char* phrase, Division division, Model model) {
  const std::string problem = Problem(DividedBy(std::move(division), 2, std::move(model)));
  EXPECT_NE(problem.find(phrase), std::string::npos) << "expected " << phrase << ", got '" << problem << "'";
}

Division FlatDivision(int64_t offset_alignment) {
  Division division = Flat(Even{});
  division.offset_alignment = offset_alignment;
  return division;
}

Division WithException(Division division, Rule rule) {
  division.exceptions = {{0, std::move(rule)}};
  return division;
}

TEST(Problem, BoundsIntervalsAndWhereTheyLie) {
  const Model w = TensorsOf({{4}});
  const char* const phrase = "expected both within 2^56";
  ExpectProblem(phrase, Each(Intervals{{{0, 2, kGreatest, 0}, {2, 4, kGreatest, 0}}}), w);
  ExpectProblem(phrase, Each(Intervals{{{0, kGreatest, 0, 0}}}), w);
  ExpectProblem(phrase, Each(Intervals{{{kLeast, 4, 0, 0}}}), w);
  const Interval all{0, kMostElements, Interval::kBehindTheLast, 0};
  ExpectProblem("more than 2^56 elements", Each(Intervals{std::vector(200, all)}), TensorsOf({{kMostElements}}));
}

TEST(Problem, BoundsPiecesAndParts) {
  const AffinePiece least{0, {4}, kLeast, 0, {1}, {1}, {0}, 1};
  ExpectProblem("reaches further than 2^56", Each(Affine{{least}, {}}), TensorsOf({{4}}));
  ExpectProblem("at most 2^56 elements in all", Each(Rows{.part = int64_t{1} << 40}),
                TensorsOf({{2, int64_t{1} << 40}}));
  ExpectProblem("at most 2^56 elements in all", Each(Ceil{.part = int64_t{1} << 54}), TensorsOf({{4}, {4}, {4}}));
  ExpectProblem("sizes whose product", Each(Even{}), TensorsOf({{0, int64_t{1} << 40, int64_t{1} << 40}}));
}

TEST(Problem, BoundsFlatBuffers) {
  ExpectProblem("further than 2^56", FlatDivision(kMostElements), TensorsOf(std::vector(200, std::vector<int64_t>{1})));
}

TEST(Problem, BoundsTensorsThatAreNamedOftenWithinAState) {
  Division often = Each(Even{});
  often.tensors.assign(200, {0, 1});
  ExpectProblem("more than 2^56 elements", often, TensorsOf({{kMostElements}}));
}

TEST(Problem, AsksExceptionsForTheFormOfTheirDivision) {
  ExpectProblem("rows and owners divide each tensor alone", WithException(Flat(Even{}), Rows{}), {});
  ExpectProblem("rows and owners divide each tensor alone", WithException(Flat(Even{}), Owners{{0}}), {});
  ExpectProblem("affine pieces of 2 tensors", WithException(Each(Even{}), Affine{}), TensorsOf({{4}, {4}}));
  ExpectProblem("one list of intervals for 2", WithException(Each(Even{}), Intervals{}), TensorsOf({{4}, {4}}));
}

TEST(Problem, OfManyFlatBuffersIsTheirSum) {
  Plan plan = DividedBy(Flat(Even{}), 2, TensorsOf({{4}}));
  plan.shardings[0].divisions[0].length = int64_t{1} << 56;
  EXPECT_EQ(Problem(plan), "");
  plan.shardings[0].divisions.push_back(plan.shardings[0].divisions[0]);
  EXPECT_EQ(Problem(plan), "flat buffers or parts of a state hold more than 2^56 elements in all");
}

}  // namespace
}  // namespace zerocts::plan
