// zerocts run on ranks whose bits differ from a later step on.
#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

TEST_F(Program, RunStopsAtTheFirstDifference) {
  const Ended run = Run("run --steps 4 --batch 2 --ranks 3 --launcher threads --subject plugin:" ZEROCTS_LATE_MUTANT);
  EXPECT_EQ(run.exit_code, 1) << run.out << run.err;
  EXPECT_NE(run.out.find("DIFFERENT after 2 of 4 steps, counted from step 0: embedding on rank 0 differs from the "
                         "reference in step 1\n"
                         "step 1, gather, rank 0: embedding, element 0 (piece [0, 4096), "),
            std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("the bits of the reference"), std::string::npos) << run.out;
}

TEST_F(Program, RunAloneSaysThatNothingWasJudged) {
  const Ended run =
      Run("run --alone --steps 2 --batch 2 --ranks 3 --launcher threads --subject plugin:" ZEROCTS_LATE_MUTANT);
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("not judged: alone"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace zerocts
