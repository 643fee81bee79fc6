#include "conformance/cases/drawing/aim_options.hpp"

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

CaseSpace SpaceOfAims() {
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
  for (const AimOption& option : AimOptions()) {
    for (const std::string& word : OfferedWords(option.name, TermsOfAll())) all.push_back({option.name, word});
  }
  std::erase_if(all, AsksForModels);
  return all;
}

Aims AimsOf(const std::vector<OneWord>& words) {
  Aims aims;
  for (const auto& [option, word] : words) aims.push_back(AimOf(option, {word}, TermsOfAll()));
  return aims;
}

class EveryAim : public testing::TestWithParam<OneWord> {
 protected:
  const Aims aims_ = AimsOf({GetParam()});
  const CasePlace place_{kRanks, Precision::kFp32, aims_};
};

INSTANTIATE_TEST_SUITE_P(Aims, EveryAim, testing::ValuesIn(AllWords()));

TEST_P(EveryAim, IsKeptByDrawing) {
  for (const Case& c : Drawn(SpaceOfAims(), place_, TermsOfAll().can, 100)) EXPECT_TRUE(IsAimedAt(c, aims_)) << c;
}

TEST_P(EveryAim, IsKeptByShrinking) {
  const rc::Gen<Case> gen = CasesOf(SpaceOfAims(), place_, TermsOfAll().can);
  rc::Random random(5);
  for (int i = 0; i < 20; ++i) {
    rc::Seq<rc::Shrinkable<Case>> simpler = gen(random.split(), 60).shrinks();
    while (const auto candidate = simpler.next())
      EXPECT_TRUE(IsAimedAt(candidate->value(), aims_)) << candidate->value();
  }
}

std::map<std::string, int> CountsOfEverything(const Aims& aims) {
  CaseSpace space = SemanticsOf(SpaceOfAims());
  space.checkpoint.reset();
  return FeatureCounts(Drawn(space, {kRanks, Precision::kFp32, aims}, TermsOfAll().can, 1000));
}

/// What floors ask for must be what can be drawn: what is excluded is never drawn, and what is not can be.
TEST_P(EveryAim, ExcludesTheFeaturesThatItsCasesNeverHave) {
  static const std::map<std::string, int> kWithoutAims = CountsOfEverything({});
  const std::map<std::string, int> counts = CountsOfEverything(aims_);
  RunTerms terms = TermsOfAll();
  terms.can = Narrowed(terms.can, aims_);
  terms.aims = aims_;
  for (const auto& [feature, count] : kWithoutAims) {
    EXPECT_EQ(counts.contains(feature), MissingFor(feature, terms).empty()) << feature << ", else in " << count;
  }
}

TEST(Aims, HoldModelsToTheirTensorRanks) {
  EXPECT_EQ(OfferedWords("tensor", TermsOfAll()), (std::vector<std::string>{"1", "2", "4"}));
  for (const int tensor : {2, 4}) {
    const Aims aims = AimsOf({{"tensor", std::to_string(tensor)}});
    const CasePlace place{kRanks, Precision::kFp32, aims};
    for (const Case& c : Drawn(ModelSpace(), place, TermsOfAll().can, 50)) EXPECT_EQ(c.tensor, tensor) << c;
    RunTerms terms = TermsOfAll();
    terms.aims = aims;
    terms.can = Narrowed(terms.can, aims);
    for (const char* of_given : {"one_hot", "tied", "quadratic_loss", "random_gradients"})
      EXPECT_EQ(MissingFor(of_given, terms), "needs: tensor 1") << of_given;
    EXPECT_EQ(MissingFor("tensor", terms), "");
  }
}

TEST(Aims, NameWhatTheyAre) {
  EXPECT_EQ(TextOf(AimsOf({{"strategy", "FullShard"}, {"offload", "full"}})), "--strategy FullShard --offload full");
}

TEST(Aims, HoldAStrategyToItsStageAndItsMesh) {
  const auto drawn = [](const std::string& strategy) {
    return Drawn(SpaceOfAims(), {kRanks, Precision::kFp32, AimsOf({{"strategy", strategy}})}, TermsOfAll().can, 100);
  };
  for (const Case& c : drawn("NoShard")) EXPECT_EQ(c.stage, 0);
  for (const Case& c : drawn("ShardGradOp")) EXPECT_TRUE(c.stage == 2 && c.replicas == 1) << c;
  for (const Case& c : drawn("FullShard")) EXPECT_TRUE(c.stage == 3 && c.replicas == 1) << c;
  for (const Case& c : drawn("HybridShard")) EXPECT_TRUE(c.stage == 3 && c.replicas > 1) << c;
}

TEST(Aims, AreOfferedAsFarAsTheSubjectAndTheRanksGo) {
  RunTerms terms = TermsOfAll();
  using Words = std::vector<std::string>;
  EXPECT_EQ(OfferedWords("replicas", terms), (Words{"1", "2", "4"}));
  EXPECT_EQ(OfferedWords("strategy", terms), (Words{"NoShard", "ShardGradOp", "FullShard", "HybridShard"}));
  EXPECT_EQ(OfferedWords("order", terms), (Words{"rank", "ring", "tree", "probed", "any"}));
  terms.world_sizes = {1};
  EXPECT_EQ(OfferedWords("replicas", terms), Words{"1"});
  EXPECT_EQ(OfferedWords("strategy", terms), (Words{"NoShard", "ShardGradOp", "FullShard"}));
  terms.can.stages = {1, 3};
  terms.can.overlap = false;
  EXPECT_EQ(OfferedWords("strategy", terms), Words{"FullShard"});
  EXPECT_EQ(OfferedWords("overlap", terms), Words{"any"});
  EXPECT_THROW(OfferedWords("colour", terms), std::out_of_range);
}

TEST(Aims, ThatLeaveNothingAreNamed) {
  const auto missing = [](const std::vector<OneWord>& words, CaseSpace space = SpaceOfAims()) {
    return Missing(space, {kRanks, Precision::kFp32, AimsOf(words)}, TermsOfAll().can);
  };
  EXPECT_EQ(missing({{"offload", "full"}, {"overlap", "on"}}), "");
  EXPECT_EQ(missing({{"strategy", "NoShard"}, {"order", "ring"}}),
            "needs: a run without --strategy NoShard --order ring");
  CaseSpace sgd = SpaceOfAims();
  sgd.simple_sgd = true;
  EXPECT_EQ(missing({{"offload", "full"}, {"optimizer", "lamb"}}, sgd), "needs: a run without --optimizer lamb");
}

}  // namespace
}  // namespace zerocts
