#include "conformance/cases/inputs/input_hash.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/inputs/given_gradient.hpp"
#include "reference/experiment/data.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

Case SmallCase() {
  Case c;
  c.experiment.parameters = {{"a", {5}, 0}, {"b", {}, 0}, {"c", {0}, 0}};
  c.experiment.world_size = 3;
  c.experiment.micro_batches = 2;
  c.experiment.steps = 2;
  return c;
}

TEST(InputHash, IsTheHashOfAllThatIsFedInOrder) {
  const Case c = SmallCase();
  const Experiment& e = c.experiment;
  std::vector<float> fed;
  const auto feed = [&](const std::vector<float>& values) { fed.insert(fed.end(), values.begin(), values.end()); };
  for (int p = 0; p < 3; ++p) feed(InitialValuesOf(e, p));
  for (int64_t step = 0; step < 2; ++step) {
    for (int64_t g : {2, 3}) {  // rank 1
      for (int p = 0; p < 3; ++p) {
        std::vector<float> gradient(static_cast<size_t>(e.parameters[p].numel()));
        FillGradient(e, step, g, p, gradient.data());
        feed(gradient);
      }
    }
  }
  EXPECT_EQ(InputHash(c, 1), HashOf(fed));
}

TEST(InputHash, IsOfTheFirstStepWhereItsGradientsAreRepeated) {
  Case timed = SmallCase();
  timed.observe_profile = true;
  timed.poison_memory = false;
  timed.experiment.micro_batches = 1;
  Case one_step = timed, untimed = timed;
  one_step.experiment.steps = 1;
  untimed.observe_profile = false;
  EXPECT_EQ(InputHash(timed, 1), InputHash(one_step, 1));
  EXPECT_NE(InputHash(timed, 1), InputHash(untimed, 1));
  std::vector<float> first(5), second(5);
  FillGivenGradient(timed, 0, 1, 0, first.data());
  FillGivenGradient(timed, 1, 1, 0, second.data());
  EXPECT_EQ(first, second);

  timed.experiment.roles.frozen = {{0, 0, 1}};  // then steps differ in what they are given
  one_step.experiment.roles = timed.experiment.roles;
  EXPECT_NE(InputHash(timed, 1), InputHash(one_step, 1));
}

TEST(InputHash, OfTensorRanksIsThatOfTheirDataRank) {
  const Case c = SmallCase();
  Case split = c;
  split.tensor = 2;
  for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(InputHash(split, rank), InputHash(c, rank / 2)) << rank;
}

TEST(InputHash, IsOfWhatIsGivenAlone) {
  Case c = SmallCase();
  c.experiment.roles.missing = {{0, 0, 2}};
  const std::string with_null = InputHash(c, 1), other_rank = InputHash(c, 0);
  c.missing_as_null = false;
  EXPECT_NE(InputHash(c, 1), with_null);  // zeros are hashed
  EXPECT_EQ(InputHash(c, 0), other_rank);
  Case frozen = SmallCase();
  frozen.experiment.roles.frozen = {{0, 0, 1}};
  EXPECT_NE(InputHash(frozen, 0), InputHash(SmallCase(), 0));
  frozen.missing_as_null = false;  // concerns missing gradients only
  EXPECT_NE(InputHash(frozen, 0), InputHash(SmallCase(), 0));
}

TEST(InputHash, DiffersByRankSeedAndStep) {
  Case c = SmallCase();
  std::set<std::string> hashes = {InputHash(c, 0), InputHash(c, 1), InputHash(c, 2)};
  c.experiment.seed = 2;
  hashes.insert(InputHash(c, 0));
  c.experiment.steps = 1;
  hashes.insert(InputHash(c, 0));
  EXPECT_EQ(hashes.size(), 5u);
}

TEST(InputHash, RanksThatLoadAreFedFromTheStepAfterTheCheckpointOn) {
  Case c = SmallCase();
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 2};
  const Case loading = LoadingRun(c);
  Case all_steps = loading;
  all_steps.checkpoint.reset();
  EXPECT_NE(InputHash(loading, 0), InputHash(all_steps, 0));
  EXPECT_EQ(InputHash(SavingRun(c), 0), InputHash(c, 0));
}

TEST(InputHash, PiecesAndNansDoNotMatter) {
  std::vector<float> values(3000, 1.5f);
  values[1] = std::numeric_limits<float>::quiet_NaN();
  InputHasher whole, pieces;
  whole.Add(values);
  values[1] = -values[1];
  pieces.Add(std::span(values).first(7));
  pieces.Add(std::span(values).subspan(7));
  EXPECT_EQ(whole.Hex(), pieces.Hex());
  EXPECT_EQ(whole.Hex(), HashOf(values));
}

TEST(InputHash, AModelIsFedBatchesOfItsText) {
  Case c = CasesOf(ModelSpace(), {3, Precision::kFp32, {}}, EverythingCapable())(rc::Random(1), 50).value();
  EXPECT_NE(InputHash(c, 0), InputHash(c, 1));
  EXPECT_EQ(InputHash(c, 2), InputHash(c, 2));
  c.experiment.text_hash[0] = c.experiment.text_hash[0] == '0' ? '1' : '0';
  EXPECT_THROW(InputHash(c, 0), std::runtime_error);
}

}  // namespace
}  // namespace zerocts
