#include "conformance/report/words/shell_word.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

TEST(ShellWord, IsOneLineThatAShellReadsBack) {
  EXPECT_EQ(ShellWord("a/b-1.json"), "a/b-1.json");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("it's\\two words"), "'it'\\''s\\two words'");
  EXPECT_EQ(ShellWord("line\nbreak's \\ \x1b"), "$'line\\nbreak\\'s \\\\ \\x1B'");
}

}  // namespace
}  // namespace zerocts
