// Proof of the fuzzer: faulty planners are killed by their property under five seeds within 200 cases, benign ones
// pass, and each of P1 to P5 is broken alone and shrunk to at most 3 tensors and 3 ranks.
#include "conformance/plans/fuzz/fuzz_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/plans/fuzz/planner.hpp"
#include "conformance/plans/fuzz/planning_request.hpp"
#include "reference/plan/for_test/faulty_planners.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/ours/our_plans.hpp"

namespace zerocts {
namespace {

/// States that the stage does not divide are whole.
plan::Plan OfStage(plan::Plan plan, int stage) {
  for (int state = 0; state < 3 - stage; ++state) plan.sharding_of[state] = plan::Plan::kWhole;
  return plan;
}

/// `plan_of` makes a plan from a request.
template <typename PlanOf>
MakePlanner AnsweringBy(PlanOf plan_of) {
  return [plan_of](int) {
    return PlannerOf([plan_of](const std::string& line) {
      std::string text = JsonText(plan_of(RequestFromText(line)));
      for (char& c : text) c = c == '\n' ? ' ' : c;
      return text;
    });
  };
}

MakePlanner AnsweringBy(const std::function<plan::Plan(const plan::PlannerCase&)>& planner) {
  return AnsweringBy([planner](const PlanningRequest& request) {
    return OfStage(planner({request.model, request.replicas, request.shards}), request.stage);
  });
}

FuzzSettings SettingsFor(const std::vector<std::string>& names, uint64_t seed) {
  FuzzSettings settings{.seed = seed};
  settings.space.most_tensors = 12;
  for (const FuzzProperty& property : FuzzProperties(0)) {
    if (names.empty() || std::find(names.begin(), names.end(), property.name) != names.end())
      settings.properties.push_back(property);
  }
  return settings;
}

std::string Found(const FuzzOutcome& outcome) {
  std::string text = outcome.end ? outcome.end->what : "";
  for (const Counterexample& found : outcome.counterexamples)
    text += fmt::format("{}: {} ({})\n", found.property, found.what, ToString(found.request));
  return text;
}

TEST(PlanFuzz, KillsFaultyPlannersByTheirPropertyUnderFiveSeeds) {
  const std::vector<plan::FaultyPlanner> planners = plan::FaultyPlanners();
  EXPECT_GE(planners.size(), 25u);
  for (const plan::FaultyPlanner& planner : planners) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      FuzzSettings settings = SettingsFor({NameOf(planner.broken)}, seed);
      settings.shrink_tries = 0;
      const FuzzOutcome outcome = RunFuzz(AnsweringBy(planner.plan), settings);
      EXPECT_EQ(outcome.counterexamples.size(), 1u) << planner.name << " survives seed " << seed;
      EXPECT_LE(outcome.cases, 200);
    }
  }
}

TEST(PlanFuzz, PassesBenignPlannersUnderFiveSeeds) {
  for (const plan::BenignPlanner& planner : plan::BenignPlanners()) {
    for (uint64_t seed = 1; seed <= 5; ++seed)
      EXPECT_EQ(Found(RunFuzz(AnsweringBy(planner.plan), SettingsFor({}, seed))), "") << planner.name;
  }
}

TEST(PlanFuzz, PassesOurOwnPlanners) {
  for (const std::string& name : plan::PlannerNames()) {
    FuzzSettings settings = SettingsFor({}, 1);
    settings.properties = FuzzProperties(plan::MayGrowWithRanks(name) ? std::nullopt : std::optional<int64_t>(0));
    const FuzzOutcome outcome = RunFuzz([&](int) { return NativePlanner(name); }, settings);
    EXPECT_EQ(Found(outcome), "") << name;
    EXPECT_EQ(outcome.refused, 0) << name;
  }
}

/// Breaks `property` alone, on a case of at most 3 tensors and 3 ranks.
bool ShrinksToThatAlone(const plan::FaultyPlanner& planner) {
  const FuzzOutcome outcome = RunFuzz(AnsweringBy(planner.plan), SettingsFor({NameOf(planner.broken)}, 1));
  if (outcome.counterexamples.size() != 1) return false;
  const Counterexample& found = outcome.counterexamples.front();
  const plan::Verdict verdict = Judge(found.plan.value());
  return found.request.model.size() <= 3 && found.request.shards * found.request.replicas <= 3 &&
         verdict.firsts.size() == 1 && verdict.firsts.front().property == planner.broken;
}

TEST(PlanFuzz, ShrinksEachOfTheFivePropertiesToThreeTensorsAndThreeRanks) {
  using enum plan::Property;
  for (const plan::Property property : {kCoverage, kConsistency, kInvertibility, kComposability, kHomogeneity}) {
    bool found = false;
    for (const plan::FaultyPlanner& planner : plan::FaultyPlanners())
      found = found || (planner.broken == property && ShrinksToThatAlone(planner));
    EXPECT_TRUE(found) << NameOf(property);
  }
}

/// Even parts; what a planner does wrong with them is `change`.
template <typename Change>
MakePlanner Changed(Change change) {
  return AnsweringBy([change](const PlanningRequest& request) {
    plan::Plan plan = plan::MakePlan({.planner = "per-parameter",
                                      .model = request.model,
                                      .stage = request.stage,
                                      .ranks = request.replicas * request.shards,
                                      .replicas = request.replicas});
    change(request, plan);
    return plan;
  });
}

/// The rule of all divisions.
void DivideBy(const plan::Rule& rule, plan::Plan& plan) {
  for (plan::Sharding& sharding : plan.shardings) {
    for (plan::Division& division : sharding.divisions) division.rule = rule;
  }
}

void ExpectKilled(const MakePlanner& planner, const std::string& property) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const FuzzOutcome outcome = RunFuzz(planner, SettingsFor({property}, seed));
    ASSERT_EQ(outcome.counterexamples.size(), 1u) << property << " survives seed " << seed;
    EXPECT_LE(outcome.counterexamples.front().request.model.size(), 3u) << Found(outcome);
    EXPECT_LE(outcome.counterexamples.front().request.shards, 3) << Found(outcome);
  }
}

TEST(PlanFuzz, KillsWhatOnlyAPlannerCanDoWrong) {
  ExpectKilled(Changed([](const PlanningRequest& request, plan::Plan& plan) {
                 if (request.rank == 1) DivideBy(plan::Even{}, plan);
               }),
               "same on every rank");
  ExpectKilled(Changed([](const PlanningRequest& request, plan::Plan& plan) {
                 if (request.model.size() > 1 && request.model[1].name < request.model[0].name)
                   DivideBy(plan::Even{}, plan);
               }),
               "names do not matter");
  ExpectKilled(Changed([asked = std::make_shared<int>(0)](const PlanningRequest&, plan::Plan& plan) {
                 if (++*asked % 2 == 0) DivideBy(plan::Even{}, plan);
               }),
               "same again");
  ExpectKilled(Changed([](const PlanningRequest& request, plan::Plan& plan) {
                 if (request.shards % 2 == 0)
                   DivideBy(plan::Owners{std::vector<int32_t>(request.model.size(), 0)}, plan);
               }),
               "no more on more ranks");
  ExpectKilled(Changed([](const PlanningRequest& request, plan::Plan& plan) {
                 if (request.stage == 2) plan.sharding_of[1] = plan::Plan::kWhole;
               }),
               "what was asked");
  ExpectKilled(Changed([](const PlanningRequest& request, plan::Plan& plan) {
                 if (!request.model.empty()) plan.model.back().name += "_";
               }),
               "what was asked");
}

TEST(PlanFuzz, KillsAPlannerThatDependsOnItsProcess) {
  const MakePlanner planner = [](int which) {
    return Changed([which](const PlanningRequest&, plan::Plan& plan) {
      if (which == 1) DivideBy(plan::Even{}, plan);
    })(which);
  };
  ExpectKilled(planner, "same in another process");
}

TEST(PlanFuzz, FindsWhatIsWrongForOneNumberOfRanksAlone) {
  for (const int wrong : {5, 8}) {
    FuzzSettings settings = SettingsFor({"P1 coverage"}, 1);
    settings.cases = 0;
    settings.corpus = {{.model = {{.name = "w", .shape = {37}}}, .shards = 4}};
    const MakePlanner planner = Changed([wrong](const PlanningRequest& request, plan::Plan& plan) {
      const plan::FaultyPlanner rounds_down = plan::FaultyPlanners().front();
      if (request.shards == wrong) plan = rounds_down.plan({request.model, request.replicas, request.shards});
    });
    const FuzzOutcome outcome = RunFuzz(planner, settings);
    ASSERT_EQ(outcome.counterexamples.size(), 1u) << wrong;
    EXPECT_EQ(outcome.counterexamples.front().request.shards, wrong);
    EXPECT_FALSE(Judge(outcome.counterexamples.front().plan.value()).sound());
  }
}

TEST(PlanFuzz, NamesTheOptionThatAllowsGrowth) {
  FuzzSettings settings = SettingsFor({"no more on more ranks"}, 1);
  settings.cases = 0;
  settings.corpus = {{.model = {{.name = "a", .shape = {5}},
                                {.name = "b", .shape = {1}},
                                {.name = "c", .shape = {1}},
                                {.name = "d", .shape = {5}}},
                      .shards = 2}};
  const FuzzOutcome outcome = RunFuzz([](int) { return NativePlanner("round-robin"); }, settings);
  EXPECT_NE(Found(outcome).find("--growth any"), std::string::npos) << Found(outcome);
}

TEST(PlanFuzz, KeepsWhatWasFoundOnce) {
  const auto asked = std::make_shared<int>(0);
  const MakePlanner planner = [asked](int) {
    return PlannerOf(
        [asked](const std::string&) { return std::string((*asked)++ == 0 ? "hi" : R"({"unimplemented": ""})"); });
  };
  const FuzzOutcome outcome = RunFuzz(planner, SettingsFor({"answer"}, 1));
  ASSERT_EQ(outcome.counterexamples.size(), 1u);
  EXPECT_EQ(outcome.counterexamples.front().what,
            "line 1, column 1: expected a value, got \"h\" (and not so when it was asked again)");
}

TEST(PlanFuzz, AsksACorpusFirst) {
  FuzzSettings settings = SettingsFor({}, 1);
  settings.cases = 0;
  settings.corpus = {{.model = {{.name = "w", .shape = {3}}}, .shards = 2}};
  const FuzzOutcome outcome = RunFuzz(AnsweringBy(plan::FaultyPlanners().front().plan), settings);
  EXPECT_EQ(outcome.cases, 1);
  ASSERT_EQ(outcome.counterexamples.size(), 1u) << Found(outcome);
  EXPECT_EQ(outcome.counterexamples.front().property, "P1 coverage");
  EXPECT_EQ(outcome.counterexamples.front().request.model.front().shape, std::vector<int64_t>{1});
}

TEST(PlanFuzz, CountsTheCasesOfWhichAPropertyAsksSomething) {
  FuzzSettings settings = SettingsFor({}, 1);
  settings.cases = 0;
  settings.corpus = {{.model = {{.name = "w", .shape = {3}}}}, {.model = {}, .shards = 2, .alignment = 4}};
  const FuzzOutcome outcome = RunFuzz([](int) { return NativePlanner("padded"); }, settings);
  EXPECT_EQ(Found(outcome), "");
  const std::pair<const char*, int> expected[] = {
      {"answer", 2},     {"P1 coverage", 2},          {"alignment", 1},
      {"balance", 0},    {"same on every rank", 1},   {"names do not matter", 1},
      {"same again", 2}, {"no more on more ranks", 2}};
  for (const auto& [property, cases] : expected) EXPECT_EQ(outcome.judged.at(property), cases) << property;
}

TEST(PlanFuzz, CountsWhatIsRefused) {
  FuzzSettings settings = SettingsFor({}, 1);
  settings.space.buckets = {8};
  const FuzzOutcome outcome = RunFuzz([](int) { return NativePlanner("contiguous"); }, settings);
  EXPECT_EQ(outcome.refused, 200);
  EXPECT_TRUE(outcome.counterexamples.empty());
}

}  // namespace
}  // namespace zerocts
