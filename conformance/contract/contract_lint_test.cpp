// The contract as data is complete and names only what exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "conformance/cases/case/corpus.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/contract/clause_for_test.hpp"
#include "conformance/contract/judge.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

const fs::path kContract = ZEROCTS_CONTRACT_SOURCE_DIR;

struct MutantHead {
  fs::path patch;
  std::string kills;  // "C-ZERO-001, C-ZERO-050"
};

/// What the heads of all mutants say.
std::vector<MutantHead> MutantHeads() {
  const std::string field = "# kills:";
  std::vector<MutantHead> heads;
  for (const std::string& family : Families()) {
    for (const auto& patch : fs::directory_iterator(kContract / family / "mutants")) {
      std::ifstream lines(patch.path());
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(field)) heads.push_back({patch.path(), line.substr(field.size())});
      }
    }
  }
  return heads;
}

bool Names(const MutantHead& head, const Clause& clause) { return head.kills.find(clause.id) != std::string::npos; }

class EveryClause : public testing::TestWithParam<Clause> {};

INSTANTIATE_TEST_SUITE_P(Contract, EveryClause, testing::ValuesIn(AllClauses()),
                         [](const auto& info) { return NameForTest(info.param); });

TEST_P(EveryClause, SaysWhatItRequiresWhyAndHow) {
  const Clause& clause = GetParam();
  EXPECT_TRUE(clause.id.starts_with("C-ZERO-") && clause.id.size() == 10) << clause.id;
  EXPECT_FALSE(clause.name.empty());
  EXPECT_TRUE(clause.sentence.ends_with(".")) << clause.sentence;
  EXPECT_TRUE(clause.how.ends_with(".")) << clause.how;
  EXPECT_GE(clause.bugs.size(), 2u);
  EXPECT_LE(clause.bugs.size(), 5u);
  for (const RealBug& bug : clause.bugs) {
    EXPECT_FALSE(bug.what.empty());
    EXPECT_TRUE(bug.link.starts_with("https://github.com/")) << bug.link;
  }
}

TEST_P(EveryClause, StandsInAFileOfItsFamily) {
  const Clause& clause = GetParam();
  EXPECT_TRUE(fs::is_regular_file(kContract / clause.file)) << clause.file;
  EXPECT_TRUE(clause.file.starts_with(clause.family + "/")) << clause.file;
}

TEST_P(EveryClause, HasACheckUnderItsId) {
  const Clause& clause = GetParam();
  const ClauseCheck& check = FindClauseCheck(clause.id);
  EXPECT_EQ(check.space().clause, clause.id);
  EXPECT_TRUE(check.judge);
}

/// Figures are bounded on any inputs. Values are on real training, whose cases are drawn as such.
TEST_P(EveryClause, DrawsItsCasesForItsFidelity) {
  const Clause& clause = GetParam();
  const CaseSpace space = FindClauseCheck(clause.id).space();
  const Fidelity of_cases = space.fidelity;
  EXPECT_TRUE(of_cases == Fidelity::kBitwise || of_cases == clause.fidelity) << ToString(of_cases);
  EXPECT_EQ(of_cases == Fidelity::kSelfParity, clause.fidelity == Fidelity::kSelfParity);
  const bool judges_values = std::ranges::count(clause.features, "real_training") > 0;
  EXPECT_EQ(of_cases == Fidelity::kBounded, clause.fidelity == Fidelity::kBounded && judges_values);
}

TEST_P(EveryClause, NamesFeaturesThatHaveAMeaning) {
  std::set<std::string> known;
  for (const auto& [feature, meaning] : FeatureMeanings()) known.insert(feature);
  EXPECT_FALSE(GetParam().features.empty());
  for (const std::string& feature : GetParam().features) EXPECT_TRUE(known.contains(feature)) << feature;
}

TEST_P(EveryClause, SaysWhatIsEssentialToIt) {
  EXPECT_FALSE(GetParam().essential.empty());
  std::set<std::string> known;
  for (const auto& [feature, meaning] : FeatureMeanings()) known.insert(feature);
  for (const auto& alternatives : GetParam().essential) {
    EXPECT_FALSE(alternatives.empty());
    for (const std::string& feature : alternatives) EXPECT_TRUE(known.contains(feature)) << feature;
  }
}

TEST_P(EveryClause, HasAMutantThatItMustKill) {
  EXPECT_TRUE(std::ranges::any_of(MutantHeads(), [](const MutantHead& head) { return Names(head, GetParam()); }));
}

TEST_P(EveryClause, LoadsItsCorpus) {
  const Clause& clause = GetParam();
  for (const std::string& path : SavedCases(kContract / clause.family / "corpus" / clause.id)) {
    EXPECT_EQ(LoadCase(path).clause, clause.id) << path;
  }
}

TEST(Contract, IsOrderedById) {
  for (size_t i = 1; i < AllClauses().size(); ++i) EXPECT_LT(AllClauses()[i - 1].id, AllClauses()[i].id);
}

TEST(Contract, KeepsCorpusFoldersOfClausesOnly) {
  for (const std::string& family : Families()) {
    if (!fs::exists(kContract / family / "corpus")) continue;
    for (const auto& folder : fs::directory_iterator(kContract / family / "corpus")) {
      EXPECT_EQ(FindClause(folder.path().filename()).family, family) << folder.path();
    }
  }
}

TEST(Contract, HasAFileForEachClause) {
  size_t files = 0;
  for (const std::string& family : Families()) {
    for (const auto& file : fs::directory_iterator(kContract / family)) files += file.path().extension() == ".cpp";
  }
  EXPECT_EQ(files, AllClauses().size());
}

TEST(Contract, MutantsNameItsClausesAlone) {
  for (const MutantHead& head : MutantHeads()) {
    const auto named = std::ranges::count_if(AllClauses(), [&](const Clause& clause) { return Names(head, clause); });
    EXPECT_EQ(named, 1 + std::ranges::count(head.kills, ',')) << head.patch << " names " << head.kills;
  }
}

TEST(Contract, RefusesAClauseThatVariesWhatIsNoDimension) {
  const RegisteredClause misspelt(
      {.id = "C-ZERO-998"}, [] { return CaseSpace{.vary = {"mehs"}}; }, nullptr);
  EXPECT_THROW(FindClauseCheck("C-ZERO-998").space(), std::logic_error);
}

TEST(Contract, FindsNoClauseThatIsNotThere) { EXPECT_THROW(FindClause("C-ZERO-999"), std::out_of_range); }

}  // namespace
}  // namespace zerocts
