#include <gtest/gtest.h>

#include <fstream>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"
#include "conformance/check/observation/tiling.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {
namespace {

using Ranks = std::vector<RankObservation>;

template <typename Change>
std::string OwnershipSentence(const Case& c, Change change) {
  Ranks ranks = PerfectObservation(c);
  change(ranks);
  const auto finding = CheckTiling(c, ranks);
  return finding ? finding->sentence : "nothing";
}

/// SmallCase has shards w1 | scale, w2[0, 3) | w2[3, 6).
template <typename Change>
std::string SentenceWith(Change change, int stage = 1) {
  Case c = SmallCase();
  c.stage = stage;
  return OwnershipSentence(c, change);
}

constexpr auto kUnchanged = [](Ranks&) {};

auto Owns(int rank, int parameter, const std::vector<Interval>& intervals) {
  return [=](Ranks& ranks) { ranks[rank].owned[parameter] = intervals; };
}

TEST(Tiling, EveryElementOnce) {
  EXPECT_EQ(SentenceWith(kUnchanged), "nothing");
  EXPECT_EQ(SentenceWith(Owns(1, 3, {{0, 2}})),
            "elements [2, 3) of w2 are not owned by any rank: expected all of its 6 elements");
  EXPECT_EQ(SentenceWith(Owns(2, 3, {})),
            "elements [3, 6) of w2 are not owned by any rank: expected all of its 6 elements");
  EXPECT_EQ(SentenceWith(Owns(1, 2, {})),
            "elements [0, 1) of scale are not owned by any rank: expected all of its 1 elements");
  EXPECT_EQ(SentenceWith(Owns(1, 3, {{0, 4}})), "elements [3, 4) of w2 are owned by ranks 1 and 2: expected one owner");
  EXPECT_EQ(SentenceWith(Owns(2, 0, {{1, 2}})), "elements [1, 2) of w1 are owned by ranks 0 and 2: expected one owner");
}

/// Two data ranks and two tensor ranks: hidden0 [3, 2] is cut along its rows, so tensor rank 0 has elements [0, 2).
Case SplitCase() {
  Case c;
  Experiment& e = c.experiment;
  e.gradients = GradientSource::kModel;
  e.initial = InitialValues::kModel;
  e.model = MlpSpec{.vocab = 4, .context = 1, .embedding = 2, .hidden = {3}, .slice_order = {.slices = 2}};
  e.parameters = ModelParameters(*e.model);
  e.groups.resize(2);
  e.world_size = 2;
  e.batch = 1;
  e.text = DefaultTextPath();
  e.text_hash = TextCorpus::Load(e.text).hash();
  c.reduction_order = "rank";
  c.tensor = 2;
  return c;
}

template <typename Change>
std::string SentenceOfSplit(Change change, int stage) {
  Case c = SplitCase();
  c.stage = stage;
  return OwnershipSentence(c, change);
}

TEST(Tiling, OfTensorRanksIsThatOfTheirParts) {
  for (const int stage : {0, 1, 3}) EXPECT_EQ(SentenceOfSplit(kUnchanged, stage), "nothing");
  EXPECT_EQ(SentenceOfSplit(Owns(1, 1, {{0, 6}}), 0),
            "rank 1 owns [0, 6) of hidden0.weight: expected nothing outside of the part that its tensor rank has");
  EXPECT_EQ(SentenceOfSplit(Owns(1, 1, {{4, 6}}), 0),
            "elements [2, 4) of hidden0.weight are not owned by rank 1 in stage 0: expected all of its 4 elements");
  EXPECT_EQ(SentenceOfSplit(
                [](Ranks& ranks) {
                  ranks[0].owned[1] = ranks[2].owned[1] = {{0, 2}};
                },
                1),
            "elements [0, 2) of hidden0.weight are owned by ranks 0 and 2: expected one owner");
  EXPECT_EQ(
      SentenceOfSplit([](Ranks& ranks) { ranks[0].owned[1] = ranks[2].owned[1] = {}; }, 1),
      "elements [0, 2) of hidden0.weight are not owned by any rank of tensor rank 0: expected all of its 2 elements");
}

TEST(Tiling, IntervalsAreWellFormed) {
  EXPECT_EQ(SentenceWith(Owns(2, 3, {{3, 7}})), "rank 2 owns [3, 7) of w2: expected intervals inside its 6 elements");
  EXPECT_EQ(SentenceWith(Owns(2, 3, {{-1, 6}})), "rank 2 owns [-1, 6) of w2: expected intervals inside its 6 elements");
  EXPECT_EQ(SentenceWith(Owns(0, 1, {{0, 0}})), "rank 0 owns [0, 0) of none: expected no empty interval");
  EXPECT_EQ(SentenceWith(Owns(2, 3, {{4, 6}, {3, 4}})),
            "rank 2 owns [3, 4) of w2 after an interval that ends at 6: expected ascending intervals without overlap");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) { ranks[1].owned.pop_back(); }),
            "rank 1 tells what it owns of 3 parameters: expected 4");
}

TEST(Tiling, AnyLayoutThatTilesIsRight) {
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[0].owned = {{{1, 2}}, {}, {}, {{0, 1}, {2, 3}, {4, 5}}};
              ranks[1].owned = {{{2, 3}, {3, 4}}, {}, {}, {{1, 2}, {3, 4}, {5, 6}}};
              ranks[2].owned = {{{0, 1}}, {}, {{0, 1}}, {}};
            }),
            "nothing");
}

/// SemanticsCase has shards a | b[0, 4) | b[4, 5), c in each of two replicas; mask and a2 have no state.
template <typename Change>
std::string MeshSentenceWith(Change change) {
  return OwnershipSentence(SemanticsCase(), change);
}

TEST(Tiling, EveryReplicaOwnsEveryElementOnce) {
  EXPECT_EQ(MeshSentenceWith(kUnchanged), "nothing");
  EXPECT_EQ(MeshSentenceWith(Owns(4, 2, {{0, 3}})),
            "elements [3, 4) of b are not owned by any rank of replica 1: expected all of its 5 elements");
  EXPECT_EQ(MeshSentenceWith(Owns(0, 0, {})),
            "elements [0, 4) of a are not owned by any rank of replica 0: expected all of its 4 elements");
  EXPECT_EQ(MeshSentenceWith(Owns(3, 2, {{1, 2}})),
            "elements [1, 2) of b are owned by ranks 3 and 4: expected one owner");
  EXPECT_EQ(MeshSentenceWith([](Ranks& ranks) { std::swap(ranks[3].owned, ranks[4].owned); }),
            "ranks 0 and 3, at position 0 of their sharding groups, own different elements of a: expected the same in "
            "every replica");
  EXPECT_EQ(MeshSentenceWith(Owns(4, 2, {{0, 1}, {1, 4}})), "nothing");
  // As if there were one group of six.
  EXPECT_EQ(MeshSentenceWith([](Ranks& ranks) {
              Case flat = SemanticsCase();
              flat.replicas = 1;
              const Ownership owned = ContiguousOwnership(flat);
              for (size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].owned = owned[rank];
            }),
            "elements [0, 4) of a are not owned by any rank of replica 1: expected all of its 4 elements");
}

TEST(Tiling, NobodyOwnsWhatHasNoState) {
  EXPECT_EQ(MeshSentenceWith(Owns(1, 1, {{0, 2}})),
            "rank 1 owns [0, 2) of mask, a buffer: expected nothing, it has no optimizer state");
  EXPECT_EQ(MeshSentenceWith(Owns(5, 3, {{3, 4}})),
            "rank 5 owns [3, 4) of a2, a tied name: expected nothing, it has no optimizer state");
}

TEST(Tiling, InStageZeroEveryRankOwnsAll) {
  EXPECT_EQ(SentenceWith(kUnchanged, 0), "nothing");
  EXPECT_EQ(SentenceWith(Owns(1, 0, {{0, 1}, {1, 4}}), 0), "nothing");
  EXPECT_EQ(SentenceWith(Owns(1, 0, {{0, 3}}), 0),
            "elements [3, 4) of w1 are not owned by rank 1 in stage 0: expected all of its 4 elements");
}

/// A plan file that gives SmallCase's elements to 3 ranks by uneven cuts: [0, 1) | [1, 9) | [9, 11).
Case CaseThroughUnevenFile() {
  plan::Plan plan{.mesh = HybridMesh(1, 3), .sharding_of = {0, 0, 0}};
  Case c = SmallCase();
  for (const ParameterSpec& parameter : c.experiment.parameters)
    plan.model.push_back({.name = parameter.name, .shape = parameter.shape});
  const plan::Intervals cuts{{{0, 1, -1, 0}, {1, 9, -1, 1}, {9, 11, -1, 2}}};
  plan.shardings = {{{"shard"}, {{.tensors = {{0, 4}}, .each = false, .rule = cuts}}}};
  const std::string path = testing::TempDir() + "/uneven_cuts.json";
  std::ofstream(path) << plan::JsonText(plan);
  c.plan = std::string(kFilePrefix) + path;
  c.stage = 3;
  return c;
}

/// Parameters w1 of 4 elements, none, scale of 1, w2 of 6: [0, 4), -, [4, 5), [5, 11) of the whole.
TEST(Tiling, IsThatOfThePlanFile) {
  const Case c = CaseThroughUnevenFile();
  Ranks ranks = PerfectObservation(c);
  const auto sentence = [&] {
    const auto finding = CheckTiling(c, ranks);
    return finding ? finding->sentence : "nothing";
  };
  EXPECT_EQ(sentence(), "rank 0 owns [0, 4) of w1: expected [0, 1), as the plan file says");
  ranks[0].owned = {{{0, 1}}, {}, {}, {}};
  ranks[1].owned = {{{1, 4}}, {}, {{0, 1}}, {{0, 2}, {2, 4}}};
  ranks[2].owned = {{}, {}, {}, {{4, 6}}};
  EXPECT_EQ(sentence(), "nothing");
  ranks[1].owned[3] = {{0, 3}};
  ranks[2].owned[3] = {{3, 6}};
  EXPECT_EQ(sentence(), "rank 1 owns [0, 3) of w2: expected [0, 4), as the plan file says");
}

}  // namespace
}  // namespace zerocts
