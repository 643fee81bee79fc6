#include "conformance/cli/mutants/mutant_verdict.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

RunEvidence Complaints(std::vector<std::string> clauses) { return {.problem = "", .complaints = std::move(clauses)}; }

InstalledMutant Mutant(std::vector<std::string> clauses) {
  return {
      .id = "M1", .title = "a fault", .subject = "full", .clauses = std::move(clauses), .bugs = {}, .benign = false};
}
InstalledMutant Benign() {
  return {.id = "B1", .title = "a variant", .subject = "full", .clauses = {}, .bugs = {}, .benign = true};
}

TEST(MutantVerdict, KilledMeansTheNamedClauseUnderEverySeed) {
  const InstalledMutant mutant = Mutant({"C-ZERO-001"});
  const MutantVerdict killed =
      VerdictOf(mutant, {Complaints({"C-ZERO-001"}), Complaints({"C-ZERO-001", "C-ZERO-050"})});
  EXPECT_TRUE(killed.AsItMustBe());
  EXPECT_NE(TableOf(std::vector{killed}).find("killed 2/2"), std::string::npos);
  EXPECT_EQ(ExitCodeOf({killed}), 0);

  const MutantVerdict once = VerdictOf(mutant, {Complaints({"C-ZERO-001"}), Complaints({})});
  EXPECT_NE(TableOf(std::vector{once}).find("SURVIVED 1/2"), std::string::npos);
  EXPECT_EQ(ExitCodeOf({killed, once}), 1);

  const MutantVerdict by_another = VerdictOf(mutant, {Complaints({"C-ZERO-050"}), Complaints({"C-ZERO-050"})});
  EXPECT_NE(TableOf(std::vector{by_another}).find("SURVIVED 0/2"), std::string::npos);
  EXPECT_EQ(ExitCodeOf({by_another}), 1);
}

TEST(MutantVerdict, EveryNamedClauseMustKill) {
  const MutantVerdict half = VerdictOf(Mutant({"C-ZERO-001", "C-ZERO-004"}), {Complaints({"C-ZERO-001"})});
  EXPECT_FALSE(half.AsItMustBe());
}

TEST(MutantVerdict, AnyComplaintAboutABenignVariantIsAFalseAlarm) {
  EXPECT_EQ(ExitCodeOf({VerdictOf(Benign(), {Complaints({}), Complaints({})})}), 0);
  const MutantVerdict alarm = VerdictOf(Benign(), {Complaints({}), Complaints({"C-ZERO-005"})});
  EXPECT_NE(TableOf(std::vector{alarm}).find("FALSE ALARM"), std::string::npos);
  EXPECT_NE(TableOf(std::vector{alarm}).find("C-ZERO-005 (1)"), std::string::npos);
  EXPECT_EQ(ExitCodeOf({alarm}), 1);
}

TEST(MutantVerdict, AHarnessErrorKillsNothingAndPassesNothing) {
  const RunEvidence broken{.problem = "no ranks came up", .complaints = {"C-ZERO-001"}};
  const MutantVerdict mutant = VerdictOf(Mutant({"C-ZERO-001"}), {broken});
  EXPECT_EQ(mutant.ComplaintsOf("C-ZERO-001"), 0);
  EXPECT_EQ(ExitCodeOf({mutant}), 3);
  EXPECT_NE(TableOf(std::vector{mutant}).find("UNPROVEN 0/1"), std::string::npos);
  EXPECT_NE(TableOf(std::vector{mutant}).find("0 of 1 mutants killed"), std::string::npos);
  EXPECT_EQ(ExitCodeOf({VerdictOf(Benign(), {broken})}), 3);
}

TEST(MutantVerdict, EvidenceComesFromTheClausesResults) {
  const auto run_with = [](Result result) {
    const ConfigurationView configuration{
        .launcher = "threads", .precision = "fp32", .world_size = 3, .result = result, .reason = "", .cases = 5};
    RunView run;
    run.run = {{"record", "run"}};
    run.end = nlohmann::json{{"record", "run_end"}};
    run.clauses = {
        {.id = "C-ZERO-001", .name = "n", .result = result, .ended = true, .configurations = {configuration}}};
    return run;
  };
  EXPECT_EQ(EvidenceOf(run_with(Result::kPass)).complaints, std::vector<std::string>{});
  EXPECT_EQ(EvidenceOf(run_with(Result::kTooFew)).complaints, std::vector<std::string>{});
  EXPECT_EQ(EvidenceOf(run_with(Result::kFail)).complaints, std::vector<std::string>{"C-ZERO-001"});
  EXPECT_EQ(EvidenceOf(run_with(Result::kHang)).complaints, std::vector<std::string>{"C-ZERO-001"});
  EXPECT_NE(EvidenceOf(run_with(Result::kHarnessError)).problem, "");
  EXPECT_NE(EvidenceOf(RunView{}).problem, "") << "an empty log proves nothing";
}

TEST(MutantVerdict, TheMatrixShowsWhoComplainedAndWhoHadTo) {
  const MutantVerdict verdict =
      VerdictOf(Mutant({"C-ZERO-001"}), {Complaints({"C-ZERO-001", "C-ZERO-050"}), Complaints({"C-ZERO-001"})});
  const std::string matrix = MatrixOf({verdict}, {"C-ZERO-001", "C-ZERO-004", "C-ZERO-050"});
  EXPECT_NE(matrix.find("001  004  050"), std::string::npos);
  EXPECT_NE(matrix.find("[2]    .    1"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
