#include "conformance/cli/selectors.hpp"

#include <gtest/gtest.h>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

const std::vector<Clause> kClauses = {{.id = "C-ZERO-001", .family = "ownership"},
                                      {.id = "C-ZERO-003", .family = "ownership"},
                                      {.id = "C-ZERO-030", .family = "norm"}};

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
