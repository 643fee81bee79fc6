// Plans as CSV and as DeepSpeed's affine map, both ways.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reference/plan/for_test/plans.hpp"
#include "reference/plan/forms/affine_map.hpp"
#include "reference/plan/forms/plan_csv.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

/// What each rank holds, by name, without where it lies.
std::vector<std::string> HeldBy(const Plan& plan, State state) {
  std::vector<std::string> held;
  const RankRuns runs(plan, state);
  for (int rank = 0; rank < plan.mesh.world_size(); ++rank) {
    runs.ForEach(rank, [&](const Run& run) {
      held.push_back(plan.model[run.tensor].name + " " + std::to_string(rank) + " " + std::to_string(run.begin) + " " +
                     std::to_string(run.end));
    });
  }
  std::sort(held.begin(), held.end());
  return held;
}

TEST(Csv, IsReadBackAsWritten) {
  Plan plan = DividedBy(Flat(Even{}), 3, TensorsOf({{7}, {2, 4}}));
  plan.model[0].name = "a, \"quoted\" name";
  const Plan read = PlanFromCsv(CsvText(plan), plan.model);
  for (const State state : kStates) EXPECT_EQ(HeldBy(read, state), HeldBy(plan, state));
  EXPECT_TRUE(Judge(read).sound());
  EXPECT_EQ(CsvText(plan).substr(0, 74),
            "state,parameter,rank,begin,end\nparameters,\"a, \"\"quoted\"\" name\",0,0,5\nparam");
}

TEST(Csv, HoldsOneRankOfEachShard) {
  Plan plan = DividedBy(Each(Even{}), 2, TensorsOf({{7}}));
  plan.mesh = {{{"shard", 2}, {"replicate", 2}}};
  EXPECT_EQ(CsvText(plan).substr(30, 47), "\nparameters,p0,0,0,4\nparameters,p0,2,4,7\ngradie");
  EXPECT_TRUE(Judge(PlanFromCsv(CsvText(plan), plan.model)).sound());
}

TEST(Csv, JudgesAgainstAModelOrTheIntervalsAlone) {
  const std::string text = "state,parameter,rank,begin,end\noptimizer,w,0,0,3\noptimizer,w,1,4,6\n";
  EXPECT_EQ(ToString(Judge(PlanFromCsv(text, std::nullopt)).firsts.at(0)),
            "P1 coverage: optimizer of w, element 3: nobody holds [3, 4)");
  const Model model = {{.name = "w", .shape = {8}}};
  EXPECT_EQ(Judge(PlanFromCsv(text, model)).counts[static_cast<int>(Property::kCoverage)], 2);
}

std::string ComplaintAboutCsv(const std::string& text, const std::optional<Model>& model = std::nullopt) {
  try {
    PlanFromCsv(text, model);
    return "none";
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
}

TEST(Csv, SaysWhichLineIsWrong) {
  const std::string header = "state,parameter,rank,begin,end\n";
  EXPECT_EQ(ComplaintAboutCsv(""), "line 1: expected the header state,parameter,rank,begin,end");
  EXPECT_EQ(ComplaintAboutCsv(header + "optimizer,w,0,0,3\noptimizer,w,-1,3,4\n"),
            "line 3: expected a rank as a whole number from 0 to 16777215, got \"-1\"");
  EXPECT_EQ(ComplaintAboutCsv(header + "optimizer,w,0,0,1e30\n"),
            "line 2: expected an element as a whole number from 0 to 72057594037927936, got \"1e30\"");
  EXPECT_EQ(ComplaintAboutCsv(header + "optimiser,w,0,0,1\n"),
            "line 2: expected parameters, gradients or optimizer, got \"optimiser\"");
  EXPECT_EQ(ComplaintAboutCsv(header + "optimizer,w,0,0\n").rfind("line 2: expected 5 fields", 0), 0u);
  EXPECT_EQ(ComplaintAboutCsv(header + "optimizer,v,0,0,1\n", Model{{.name = "w", .shape = {1}}}),
            "line 2: expected the name of a tensor of the model, got \"v\"");
  EXPECT_EQ(ComplaintAboutCsv(header + "optimizer,w\xa0,0,0,1\n"),
            "line 2: expected the name of a tensor in UTF-8, got \"w?\"");
}

std::string ComplaintOfCsvText(const Plan& plan) {
  try {
    return CsvText(plan);
  } catch (const std::invalid_argument& unsayable) {
    return unsayable.what();
  }
}

TEST(Csv, IsRefusedWhereItWouldSaySomethingElse) {
  EXPECT_EQ(ComplaintAboutCsv("state,parameter,rank,begin,end\n", Model{{.name = "w", .shape = {3}}}),
            "no interval behind the header: expected at least one; who holds what is not said");
  Plan plan = DividedBy(Each(Even{}), 2, TensorsOf({{7}}));
  plan.sharding_of = {Plan::kWhole, Plan::kWhole, Plan::kWhole};
  EXPECT_EQ(ComplaintOfCsvText(plan), "nothing is divided, and CSV lists what is: write the plan as JSON");
  plan.sharding_of = {0, 0, 0};
  plan.shardings[0].divisions[0].exceptions = {{1, Ceil{}}};
  EXPECT_EQ(ComplaintOfCsvText(plan), "parameters have rules of single ranks: write the plan as JSON");
  plan.shardings[0].divisions.clear();
  EXPECT_EQ(ComplaintOfCsvText(plan),
            "parameters are divided and no rank has any, which CSV cannot say: write the plan as JSON");
  const Affine half{{{0, {7}, 0, 0, {1}, {1}, {0}, 0.5}}, {}};
  EXPECT_EQ(ComplaintOfCsvText(DividedBy(Each(half), 2, TensorsOf({{7}}))),
            "parameters have affine pieces with a scale or several holders: write the plan as JSON");
}

TEST(AffineMap, TakesNamesOfAnyBytes) {
  Plan plan = DividedBy(Each(Even{}), 2, TensorsOf({{4}}));
  plan.model[0].name = "\xff\n";
  EXPECT_NE(AffineMapText(plan, State::kParameters).find("\uFFFD"), std::string::npos);
}

TEST(AffineMap, RefusesMorePiecesAndHoldersThanItCanList) {
  Plan plan = DividedBy(Each(Even{}), 1, TensorsOf({{4}}));
  plan.mesh.axes.push_back({"replicate", 1 << 12});  // each of 2^12 ranks would list all 2^12 holders
  EXPECT_THROW(AffineMapText(plan, State::kParameters), std::invalid_argument);
  plan.mesh.axes.back().size = 1 << 10;
  EXPECT_NE(AffineMapText(plan, State::kParameters), "");
}

TEST(AffineMap, HoldsWhatThePlanHolds) {
  for (const Rule& rule : std::vector<Rule>{Even{}, Ceil{}, Rows{}, Rows{.dimension = 1}, BlockCyclic{2}}) {
    Plan plan = DividedBy(Each(rule), 4, TensorsOf({{7, 5}, {4, 6}}));
    plan.mesh = {{{"replicate", 2}, {"shard", 2}}};
    plan.model[0].name = "h.0.weight";
    const Plan read = PlanFromAffineMap(nlohmann::json::parse(AffineMapText(plan, State::kParameters)));
    EXPECT_EQ(HeldBy(read, State::kParameters), HeldBy(plan, State::kParameters)) << rule.index();
    const Verdict verdict = Judge(read);
    EXPECT_TRUE(verdict.sound()) << ToString(verdict.firsts.at(0));
  }
}

TEST(AffineMap, MergesColumnsIntoOnePiece) {
  const Plan plan = DividedBy(Each(Rows{.dimension = 1}), 2, TensorsOf({{3, 4}}));
  const auto map = nlohmann::json::parse(AffineMapText(plan, State::kParameters))["affine_map"];
  EXPECT_EQ(map["^p0$"]["ranks"]["1"]["pieces"].dump(),
            R"([{"dest":[0,[2,1]],"locations":[1],"shape":[3,2],"source":[2,[4,1]]}])");
}

/// The document of the specification, section 6.2: a fused block of which every rank has the last 16 rows.
TEST(AffineMap, ReadsDeepSpeedsExample) {
  nlohmann::json ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks[std::to_string(rank)] = nlohmann::json::parse(
        R"({"shard_shape": [24, 8], "pieces": [
             {"shape": [8, 8], "source": [)" +
        std::to_string(64 * rank) + R"(, [8, 1]], "dest": [0, [8, 1]], "locations": [)" + std::to_string(rank) + R"(]},
             {"shape": [16, 8], "source": [256, [8, 1]], "dest": [64, [8, 1]], "locations": [0, 1, 2, 3]}]})");
  }
  nlohmann::json file = {
      {"affine_map",
       {{"version", 1}, {"^transformer\\.c_attn\\.weight$", {{"logical_shape", {48, 8}}, {"ranks", ranks}}}}}};
  const Plan plan = PlanFromAffineMap(file);
  EXPECT_EQ(plan.model[0].name, "transformer.c_attn.weight");
  EXPECT_TRUE(Judge(plan).sound());
  EXPECT_EQ(PlanFromAffineMap(nlohmann::json::parse(AffineMapText(plan, State::kParameters))), plan);
  file["affine_map"]["^transformer\\.c_attn\\.weight$"]["ranks"]["2"]["pieces"][0]["source"][0] = 64;
  const Verdict verdict = Judge(PlanFromAffineMap(file));
  ASSERT_EQ(verdict.firsts.size(), 2u);
  EXPECT_EQ(verdict.firsts[0].property, Property::kCoverage);
  EXPECT_EQ(verdict.firsts[0].element, 128);
  EXPECT_EQ(verdict.firsts[1].property, Property::kDisjointness);
}

}  // namespace
}  // namespace zerocts::plan
