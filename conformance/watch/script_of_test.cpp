#include "conformance/watch/script_of.hpp"

#include <gtest/gtest.h>

namespace zerocts::watch {
namespace {

TEST(ScriptOf, IsWhatPythonRuns) {
  EXPECT_EQ(ScriptOf({"python3", "train.py", "--steps", "3"}), "train.py");
  EXPECT_EQ(ScriptOf({"torchrun", "--nproc-per-node", "2", "lab/train.py", "other.py"}), "train.py");
  EXPECT_EQ(ScriptOf({"accelerate", "launch", "train.py"}), "train.py");
  EXPECT_EQ(ScriptOf({"/usr/bin/python3", "-u", "-m", "lab.train", "config.py"}), "lab.train");
  EXPECT_EQ(ScriptOf({"python3", "-m", "torch.distributed.run", "train.py"}), "train.py");
  EXPECT_EQ(ScriptOf({"python3", "-m", "torch.distributed.run", "-m", "lab.train"}), "lab.train");
}

TEST(ScriptOf, IsElseTheCommand) {
  EXPECT_EQ(ScriptOf({"bin/train", "-m"}), "train");
  EXPECT_EQ(ScriptOf({}), "");
}

}  // namespace
}  // namespace zerocts::watch
