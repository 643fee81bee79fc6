#include "conformance/cases/drawing/constraint_options.hpp"

#include <gtest/gtest.h>

#include <ostream>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

constexpr int kRanks = 4;

RunTerms TermsOfAll() {
  Capabilities can = EverythingCapable();
  can.reduction_orders.emplace_back("probed");
  return {.can = can, .world_sizes = {kRanks}, .precisions = {Precision::kFp32}};
}

CaseSpace SpaceOfConstraints() {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.optimizers = TermsOfAll().can.optimizers;
  space.max_steps = 4;
  return space;
}

struct OneWord {
  std::string option, word;
};
void PrintTo(const OneWord& one, std::ostream* out) { *out << "--" << one.option << " " << one.word; }

/// Layers are split of models, which the space does not have.
bool AsksForModels(const OneWord& one) {
  return (one.option == "tensor" && one.word != "1") || (one.option == "without" && one.word == "tensor=1");
}

std::vector<OneWord> AllWords() {
  std::vector<OneWord> all;
  for (const ConstraintOption& option : ConstraintOptions()) {
    for (const std::string& word : AvailableWords(option.name, TermsOfAll())) all.push_back({option.name, word});
  }
  std::erase_if(all, AsksForModels);
  return all;
}

Constraints ConstraintsOf(const std::vector<OneWord>& words) {
  Constraints constraints;
  for (const auto& [option, word] : words) constraints.push_back(ConstraintOf(option, {word}, TermsOfAll()));
  return constraints;
}

class EveryConstraint : public testing::TestWithParam<OneWord> {
 protected:
  const Constraints constraints_ = ConstraintsOf({GetParam()});
  const CaseConditions conditions_{kRanks, Precision::kFp32, constraints_};
};

INSTANTIATE_TEST_SUITE_P(Constraints, EveryConstraint, testing::ValuesIn(AllWords()));

TEST_P(EveryConstraint, IsKeptByDrawing) {
  for (const Case& c : Drawn(SpaceOfConstraints(), conditions_, TermsOfAll().can, 100))
    EXPECT_TRUE(Meets(c, constraints_)) << c;
}

TEST_P(EveryConstraint, IsKeptByShrinking) {
  const rc::Gen<Case> gen = CasesOf(SpaceOfConstraints(), conditions_, TermsOfAll().can);
  rc::Random random(5);
  for (int i = 0; i < 20; ++i) {
    rc::Seq<rc::Shrinkable<Case>> simpler = gen(random.split(), 60).shrinks();
    while (const auto candidate = simpler.next())
      EXPECT_TRUE(Meets(candidate->value(), constraints_)) << candidate->value();
  }
}

std::map<std::string, int> CountsOfEverything(const Constraints& constraints) {
  CaseSpace space = SemanticsOf(SpaceOfConstraints());
  space.checkpoint.reset();
  return FeatureCounts(Drawn(space, {kRanks, Precision::kFp32, constraints}, TermsOfAll().can, 1000));
}

/// What coverage minimums ask for must be what can be drawn: what is excluded is never drawn, and what is not can be.
TEST_P(EveryConstraint, ExcludesTheFeaturesThatItsCasesNeverHave) {
  static const std::map<std::string, int> kWithoutConstraints = CountsOfEverything({});
  const std::map<std::string, int> counts = CountsOfEverything(constraints_);
  RunTerms terms = TermsOfAll();
  terms.can = Narrowed(terms.can, constraints_);
  terms.constraints = constraints_;
  for (const auto& [feature, count] : kWithoutConstraints) {
    EXPECT_EQ(counts.contains(feature), MissingFor(feature, terms).empty()) << feature << ", else in " << count;
  }
}

TEST(Constraints, HoldModelsToTheirTensorRanks) {
  EXPECT_EQ(AvailableWords("tensor", TermsOfAll()), (std::vector<std::string>{"1", "2", "4"}));
  for (const int tensor : {2, 4}) {
    const Constraints constraints = ConstraintsOf({{"tensor", std::to_string(tensor)}});
    const CaseConditions conditions{kRanks, Precision::kFp32, constraints};
    for (const Case& c : Drawn(ModelSpace(), conditions, TermsOfAll().can, 50)) EXPECT_EQ(c.tensor, tensor) << c;
    RunTerms terms = TermsOfAll();
    terms.constraints = constraints;
    terms.can = Narrowed(terms.can, constraints);
    for (const char* of_given : {"one_hot", "tied", "quadratic_loss", "random_gradients"})
      EXPECT_EQ(MissingFor(of_given, terms), "needs: tensor 1") << of_given;
    EXPECT_EQ(MissingFor("tensor", terms), "");
  }
}

TEST(Constraints, NameWhatTheyAre) {
  EXPECT_EQ(TextOf(ConstraintsOf({{"strategy", "FullShard"}, {"offload", "full"}})),
            "--strategy FullShard --offload full");
}

TEST(Constraints, HoldAStrategyToItsStageAndItsMesh) {
  const auto drawn = [](const std::string& strategy) {
    return Drawn(SpaceOfConstraints(), {kRanks, Precision::kFp32, ConstraintsOf({{"strategy", strategy}})},
                 TermsOfAll().can, 100);
  };
  for (const Case& c : drawn("NoShard")) EXPECT_EQ(c.stage, 0);
  for (const Case& c : drawn("ShardGradOp")) EXPECT_TRUE(c.stage == 2 && c.replicas == 1) << c;
  for (const Case& c : drawn("FullShard")) EXPECT_TRUE(c.stage == 3 && c.replicas == 1) << c;
  for (const Case& c : drawn("HybridShard")) EXPECT_TRUE(c.stage == 3 && c.replicas > 1) << c;
}

TEST(Constraints, AreAvailableAsFarAsTheSubjectAndTheRanksGo) {
  RunTerms terms = TermsOfAll();
  using Words = std::vector<std::string>;
  EXPECT_EQ(AvailableWords("replicas", terms), (Words{"1", "2", "4"}));
  EXPECT_EQ(AvailableWords("strategy", terms), (Words{"NoShard", "ShardGradOp", "FullShard", "HybridShard"}));
  EXPECT_EQ(AvailableWords("order", terms), (Words{"rank", "ring", "tree", "probed", "any"}));
  terms.world_sizes = {2, 3};
  EXPECT_EQ(AvailableWords("replicas", terms), (Words{"1", "2", "3"}));
  EXPECT_EQ(AvailableWords("strategy", terms), (Words{"NoShard", "ShardGradOp", "FullShard"}))
      << "with as many replicas as ranks nothing is sharded";
  terms.world_sizes = {4};
  terms.can.min_replicas = 2;
  EXPECT_EQ(AvailableWords("strategy", terms), Words{"HybridShard"}) << "of a subject that always has replicas";
  terms.can.min_replicas = 1;
  terms.world_sizes = {1};
  EXPECT_EQ(AvailableWords("replicas", terms), Words{"1"});
  EXPECT_EQ(AvailableWords("strategy", terms), (Words{"NoShard", "ShardGradOp", "FullShard"}));
  terms.can.stages = {1, 3};
  terms.can.overlap = false;
  EXPECT_EQ(AvailableWords("strategy", terms), Words{"FullShard"});
  EXPECT_EQ(AvailableWords("overlap", terms), Words{"any"});
  EXPECT_THROW(AvailableWords("colour", terms), std::out_of_range);
}

TEST(Constraints, ThatLeaveNothingAreNamed) {
  const auto missing = [](const std::vector<OneWord>& words, CaseSpace space = SpaceOfConstraints()) {
    return Missing(space, {kRanks, Precision::kFp32, ConstraintsOf(words)}, TermsOfAll().can);
  };
  EXPECT_EQ(missing({{"offload", "full"}, {"overlap", "on"}}), "");
  EXPECT_EQ(missing({{"strategy", "NoShard"}, {"order", "ring"}}),
            "needs: a run without --strategy NoShard --order ring");
  CaseSpace sgd = SpaceOfConstraints();
  sgd.plain_update = true;
  EXPECT_EQ(missing({{"offload", "full"}, {"optimizer", "lamb"}}, sgd), "needs: a run without --optimizer lamb");
}

}  // namespace
}  // namespace zerocts
