#include "conformance/cli/check/selectors.hpp"

#include <gtest/gtest.h>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

const std::vector<Clause> kClauses = {{.id = "C-ZERO-001", .family = "ownership"},
                                      {.id = "C-ZERO-003", .family = "ownership"},
                                      {.id = "C-ZERO-030", .family = "norm"}};

const std::vector<Profile> kProfiles = {{.name = "zero-1"}, {.name = "zero-2"}, {.name = "cost"}};

std::vector<std::string> Selected(const std::vector<std::string>& words) {
  std::vector<std::string> ids;
  for (const Clause& clause : SelectClauses(words, kClauses)) ids.push_back(clause.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Selectors, NoWordSelectsAll) { EXPECT_EQ(Selected({}), (Ids{"C-ZERO-001", "C-ZERO-003", "C-ZERO-030"})); }

TEST(Selectors, IdsAndFamiliesInTheContractsOrderOnce) {
  EXPECT_EQ(Selected({"norm", "C-ZERO-001"}), (Ids{"C-ZERO-001", "C-ZERO-030"}));
  EXPECT_EQ(Selected({"ownership", "C-ZERO-003"}), (Ids{"C-ZERO-001", "C-ZERO-003"}));
  EXPECT_EQ(Selected({"c_zero_003"}), Ids{"C-ZERO-003"});
}

Ids Shard(const std::string& shard) {
  Ids ids;
  for (const Clause& clause : OfShard(shard, kClauses)) ids.push_back(clause.id);
  return ids;
}

TEST(Selectors, AClauseIsNamedByItsFileToo) {
  EXPECT_EQ(Selected({"003"}), (Ids{"C-ZERO-003"}));
  EXPECT_EQ(Selected({"ownership/003"}), (Ids{"C-ZERO-003"}));
  EXPECT_THROW(Selected({"00"}), UsageError);
}

TEST(Selectors, ShardsHaveEachClauseOnce) {
  EXPECT_EQ(Shard("1/1"), (Ids{"C-ZERO-001", "C-ZERO-003", "C-ZERO-030"}));
  EXPECT_EQ(Shard("1/2"), (Ids{"C-ZERO-001", "C-ZERO-030"}));
  EXPECT_EQ(Shard("2/2"), (Ids{"C-ZERO-003"}));
  EXPECT_EQ(Shard("3/3"), (Ids{"C-ZERO-030"}));
}

TEST(Selectors, WhatIsNoShardIsRefused) {
  for (const char* shard : {"0/2", "3/2", "1", "a/b", "1/4", "/", "1/0", "1/2/3", "-1/2", ""})
    EXPECT_THROW(Shard(shard), UsageError) << shard;
}

TEST(Selectors, ProfilesByNameOnce) {
  EXPECT_EQ(SelectProfiles({"cost", "ZERO_2", "zero-2"}, kProfiles), (Ids{"cost", "zero-2"}));
  EXPECT_EQ(SelectProfiles({}, kProfiles), Ids());
}

TEST(Selectors, UnknownProfileIsRefusedWithTheNearest) {
  try {
    SelectProfiles({"zero-4"}, kProfiles);
    FAIL() << "zero-4 is no profile";
  } catch (const UsageError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("--require: expected profiles (zero-1, zero-2"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("got 'zero-4' (did you mean zero-1"), std::string::npos) << sentence;
  }
}

TEST(Selectors, WordThatMatchesNothingIsRefusedWithTheNearest) {
  try {
    Selected({"C-ZERO-001", "onwership"});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("'onwership'"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("did you mean ownership?"), std::string::npos) << sentence;
  }
  EXPECT_THROW(Selected({"C-ZERO"}), UsageError);  // half an id selects nothing by accident
}

}  // namespace
}  // namespace zerocts
