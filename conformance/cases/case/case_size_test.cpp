#include "conformance/cases/case/case_size.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

Case CaseOfTwoParameters() {
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
  return c;
}

TEST(CaseSize, WhatIsDrawnIsFarBelow) {
  Case c = CaseOfTwoParameters();
  c.experiment.parameters.assign(4, {"a", {1 << 18}, 0});
  c.experiment.world_size = 64;
  c.experiment.micro_batches = 4;
  EXPECT_EQ(SizeProblem(c), "");
  c.experiment.parameters.assign(40, {"a", {500}, 0});
  c.experiment.steps = 20;
  EXPECT_EQ(SizeProblem(c), "");
}

TEST(CaseSize, AModelOfTwelveLayersMayBeACase) {
  Case c = CaseOfTwoParameters();
  Experiment& e = c.experiment;
  e.model = GptSize("gpt2-124m");
  e.parameters = ModelParameters(*e.model);
  e.gradients = GradientSource::kModel;
  e.world_size = e.micro_batches = e.steps = 2;
  e.batch = 1;
  EXPECT_EQ(SizeProblem(c), "");
}

TEST(CaseSize, WhatReportsItsStepsMayHaveMany) {
  Case c = CaseOfTwoParameters();
  c.experiment.steps = 100000;
  c.report_steps = true;
  EXPECT_EQ(SizeProblem(c), "");
}

TEST(CaseSize, EachSizeHasALargest) {
  const auto problem_with = [](auto change) {
    Case c = CaseOfTwoParameters();
    change(c.experiment);
    return SizeProblem(c);
  };
  EXPECT_EQ(problem_with([](Experiment& e) { e.steps = 100000; }),
            "experiment.steps: expected at most 1024, got 100000");
  EXPECT_EQ(problem_with([](Experiment& e) {
              e.parameters.assign(100000, {"a", {1}, 0});
            }),
            "experiment.parameters: expected at most 4096, got 100000");
  EXPECT_EQ(problem_with([](Experiment& e) { e.world_size = 20000; }),
            "experiment.world_size: expected at most 16384, got 20000");
  EXPECT_EQ(problem_with([](Experiment& e) { e.micro_batches = 2000; }),
            "experiment.micro_batches: expected at most 1024, got 2000");
  EXPECT_EQ(problem_with([](Experiment& e) {
              e.parameters.assign(3, {"a", {int64_t{1} << 40}, 0});
            }),
            "experiment.parameters, their elements: expected at most 268435456, got 3298534883328");
  EXPECT_NE(problem_with([](Experiment& e) { e.steps = e.world_size = 1024; }).find("parameters x steps x ranks"),
            std::string::npos);
  EXPECT_NE(problem_with([](Experiment& e) {
              e.parameters[0].shape = {1 << 20};
              e.steps = 1000;
              e.micro_batches = 3;
            }).find("elements of its gradients"),
            std::string::npos);
  EXPECT_NE(problem_with([](Experiment& e) {
              e.model = GptSize("tiny");
              e.batch = INT64_MAX;
            }).find("products of its model"),
            std::string::npos);
}

TEST(CaseSize, IsAProblemOfTheCase) {
  Case c = CaseOfTwoParameters();
  c.experiment.steps = 100000;
  EXPECT_EQ(Problem(c), SizeProblem(c));
}

}  // namespace
}  // namespace zerocts
