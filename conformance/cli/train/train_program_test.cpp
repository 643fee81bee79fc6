// zerocts train, and zerocts run on ranks that are right.
#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

TEST_F(Program, TrainsAgainWhatATraceSays) {
  ASSERT_EQ(Run("train --model tiny --steps 2 --seed 5 --optimizer lamb --trace first.ndjson").exit_code, 0);
  ASSERT_EQ(Run("train --experiment first.ndjson --trace again.ndjson").exit_code, 0);
  const Ended diff = Run("diff first.ndjson again.ndjson");
  EXPECT_EQ(diff.exit_code, 0) << diff.out;
}

TEST_F(Program, RunTrainsOnRanksWithTheBitsOfTheReference) {
  const Ended run = Run("run --model tiny --steps 3 --batch 2 --ranks 6 --tensor 2 --replicas 3");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("the bits of the reference in all 3 steps"), std::string::npos) << run.out;
  ASSERT_EQ(Run("train --model tiny --steps 3 --batch 2 --world-size 3 --slices 2").exit_code, 0);
  const std::string alone = Contents(folder() / "stdout.log"), name = "parameter/final_norm.weight";
  const size_t found = alone.find(name);
  ASSERT_NE(found, std::string::npos) << alone;
  const std::string hash = alone.substr(alone.find_first_not_of(' ', found + name.size()), 32);
  EXPECT_NE(run.out.find("final_norm.weight                " + hash), std::string::npos) << run.out << alone;
}

TEST_F(Program, RunTrainsExpertsWithTheBitsOfTheReference) {
  const Ended run = Run("run --model mlp --experts 3 --steps 4 --batch 2 --ranks 6 --micro-batches 2 --stage 3");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("the bits of the reference in all 4 steps"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace zerocts
