#include "conformance/cases/draws/role_edits.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

/// A role of every kind, on one parameter each: 0 owner of 2, 1 frozen, 3 buffer, 4 with a gradient that is missing,
/// one that is planted, and a precision of its own.
Case CaseOfAllRoles() {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {3}, 0}, {"b", {2}, 0}, {"a2", {3}, 0}, {"mask", {5}, 0}, {"d", {4}, 0}};
  e.world_size = 4;
  e.micro_batches = 2;
  e.steps = 3;
  e.roles = {.frozen = {{1, 1, 2}},
             .without_gradient = {{1, 2, 3}},
             .missing = {{4, 2, 7}},
             .tied = {{2, 0}},
             .buffers = {3},
             .precisions = {{4, Precision::kBf16}}};
  e.planted = {{1, 6, 4, 3, NonFinite::kNan}};
  c.replicas = 2;
  return c;
}

TEST(RoleEdits, AnInsertedParameterMovesTheOthers) {
  Experiment e = CaseOfAllRoles().experiment;
  InsertParameter(e, 1, {"new", {7}, 0});
  EXPECT_EQ(Problem(e), "");
  EXPECT_EQ(e.parameters[1].name, "new");
  EXPECT_EQ(e.roles.frozen[0].parameter, 2);
  EXPECT_EQ(e.roles.without_gradient[0].parameter, 2);
  EXPECT_EQ(e.roles.missing[0].parameter, 5);
  EXPECT_EQ(e.roles.tied, (std::vector<TiedParameter>{{3, 0}}));
  EXPECT_EQ(e.roles.buffers, std::vector<int>{4});
  EXPECT_EQ(e.roles.precisions[0].parameter, 5);
  EXPECT_EQ(e.planted[0].parameter, 5);
  InsertParameter(e, 6, {"last", {1}, 0});
  EXPECT_EQ(e.parameters.back().name, "last");
  EXPECT_EQ(e.planted[0].parameter, 5);
}

TEST(RoleEdits, KeptParametersKeepTheirRoles) {
  Experiment e = CaseOfAllRoles().experiment;
  KeepParameters(e, [](int p) { return p >= 2; });
  EXPECT_EQ(Problem(e), "");
  EXPECT_EQ(e.parameters[0].name, "a2");
  EXPECT_TRUE(e.roles.frozen.empty() && e.roles.without_gradient.empty());
  EXPECT_TRUE(e.roles.tied.empty());  // its owner is gone: it is a parameter like others
  EXPECT_EQ(e.roles.buffers, std::vector<int>{1});
  EXPECT_EQ(e.roles.missing[0].parameter, 2);
  EXPECT_EQ(e.planted[0].parameter, 2);
  KeepParameters(e, [](int p) { return p == 0; });
  EXPECT_EQ(e.roles, ParameterRoles{});
  EXPECT_TRUE(e.planted.empty());
}

TEST(RoleEdits, ExpertsKeepTheirParametersAndLoseWhatIsOfOtherRanks) {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {2}, 0}, {"b", {2}, 0}, {"c", {2}, 0}};
  e.world_size = 4;
  e.experts = {2, {{0, 1}, {2, 1}}};
  e.planted = {{0, 1, 2, 0, NonFinite::kNan}};  // of rank 1
  InsertParameter(e, 1, {"new", {1}, 0});
  EXPECT_EQ(e.experts.parameters, (std::vector<ExpertParameter>{{0, 1}, {3, 1}}));
  KeepParameters(e, [](int p) { return p == 3; });
  EXPECT_EQ(e.experts.parameters, (std::vector<ExpertParameter>{{0, 1}}));
  DropWhatDoesNotFit(c);
  EXPECT_EQ(e.planted.size(), 1u);
  e.experts.parameters[0].expert = 0;
  DropWhatDoesNotFit(c);
  EXPECT_TRUE(e.planted.empty());
  EXPECT_EQ(Problem(c), "");
}

TEST(RoleEdits, WhatDoesNotFitIsDropped) {
  Case c = CaseOfAllRoles();
  DropWhatDoesNotFit(c);
  EXPECT_EQ(c, CaseOfAllRoles());
  c.experiment.world_size = 3;  // 6 micro-batches, no 2 replicas
  DropWhatDoesNotFit(c);
  EXPECT_EQ(c.replicas, 1);
  EXPECT_TRUE(c.experiment.roles.missing.empty() && c.experiment.planted.empty());
  EXPECT_EQ(Problem(c), "");
  c.experiment.world_size = 6;
  c.replicas = 4;
  DropWhatDoesNotFit(c);
  EXPECT_EQ(c.replicas, 2);
  c = CaseOfAllRoles();
  c.experiment.parameters[4].shape = {3};
  DropWhatDoesNotFit(c);
  EXPECT_TRUE(c.experiment.planted.empty());
  EXPECT_EQ(c.experiment.roles.missing.size(), 1u);
  c.experiment.steps = 1;
  DropWhatDoesNotFit(c);
  EXPECT_TRUE(c.experiment.roles.frozen.empty() && c.experiment.roles.without_gradient.empty());
}

}  // namespace
}  // namespace zerocts
