#include "conformance/watch/state_samples.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zerocts::watch {
namespace {

/// A step of AdamW that is the fifth of "w"; of its elements 2 and 7 are sampled.
UpdateRecord Step() {
  UpdateRecord::Part part;
  part.name = "w";
  part.at = {2, 7};
  part.steps = 4;
  part.parameter = {1, 2};
  part.moments = {{0.5f, 0.25f}, {3, 4}};
  part.new_parameter = {10, 20};
  part.new_moments = {{5, 6}, {7, 8}};
  return {.formula = "adamw", .parts = {part}};
}

/// The step behind it, which begins with what that one left.
UpdateRecord Next() {
  UpdateRecord next = Step();
  UpdateRecord::Part& part = next.parts.front();
  part.steps = 5;
  part.parameter = part.new_parameter;
  part.moments = part.new_moments;
  return next;
}

std::vector<std::string> Differences(const UpdateRecord& step, const UpdateRecord& next) {
  StateSamples left;
  left.Keep(step);
  std::vector<std::string> said;
  EXPECT_GT(
      left.Compare(next, [&](const std::string& name, const std::string& text) { said.push_back(name + ": " + text); }),
      0);
  return said;
}

TEST(StateSamples, OfTheNextStepAreTheSame) { EXPECT_TRUE(Differences(Step(), Next()).empty()); }

TEST(StateSamples, TellWhichMomentDiffers) {
  UpdateRecord next = Next();
  next.parts.front().moments[1][1] = 9;
  EXPECT_EQ(Differences(Step(), next),
            std::vector<std::string>{"w: element 7 of its second moment was 8 after the step before, and is 9"});
}

TEST(StateSamples, TellOfStepsThatCountAnew) {
  UpdateRecord next = Next();
  next.parts.front().steps = 0;
  EXPECT_EQ(Differences(Step(), next),
            std::vector<std::string>{"w: its state counted 5 steps after the step before, and counts 0"});
}

TEST(StateSamples, HoldOnlyCopiesOfParameters) {
  UpdateRecord step = Step(), next = Next();
  next.parts.front().parameter[0] = 11;  // the user's own code may change it
  EXPECT_TRUE(Differences(step, next).empty());
  step.copies = next.copies = true;
  EXPECT_EQ(Differences(step, next),
            std::vector<std::string>{"w: element 2 of it was 10 after the step before, and is 11"});
}

TEST(StateSamples, DoNotTellTensorsOfOneNameApart) {
  UpdateRecord step = Step();
  step.parts.push_back(step.parts.front());
  StateSamples left;
  left.Keep(step);
  EXPECT_EQ(left.Compare(Next(), [](const std::string&, const std::string&) { FAIL(); }), 0);
}

}  // namespace
}  // namespace zerocts::watch
