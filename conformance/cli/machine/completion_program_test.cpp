// The completion scripts in the shells themselves.
#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

class CompletionInBash : public Program {
 protected:
  /// What bash offers behind these words; the last one is being typed.
  std::string Offered(const std::string& words, int index) {
    Put("ask", "source <('" ZEROCTS_PROGRAM "' completion bash)\nCOMP_WORDS=(zerocts " + words +
                   ")\nCOMP_CWORD=" + std::to_string(index) + "\n_zerocts\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    FILE* shell = popen(("bash '" + (folder() / "ask").string() + "'").c_str(), "r");
    std::string out;
    for (int c; (c = std::fgetc(shell)) != EOF;) out += static_cast<char>(c);
    pclose(shell);
    return out;
  }
};

TEST_F(CompletionInBash, OffersWhatMayFollow) {
  EXPECT_EQ(Offered("chec", 1), "check\n");
  EXPECT_EQ(Offered("check C-ZERO-00", 2), "C-ZERO-001\nC-ZERO-002\nC-ZERO-003\nC-ZERO-004\nC-ZERO-005\nC-ZERO-007\n");
  EXPECT_EQ(Offered("list own", 2), "ownership\n");
  EXPECT_EQ(Offered("check --subject nat", 3), "native\n");
  EXPECT_EQ(Offered("check --offload f", 3), "full\n");
  EXPECT_EQ(Offered("check --time-b", 2), "--time-budget\n");
  EXPECT_EQ(Offered("check --tier ''", 3), "smoke\ndefault\nfull\n");
  EXPECT_EQ(Offered("check --precision ''", 3), "fp32\nbf16\n");
  EXPECT_EQ(Offered("check --launcher mp", 3), "mpirun\n");
  EXPECT_EQ(Offered("check --device cu", 3), "cuda\n");
  EXPECT_EQ(Offered("run --model g", 3), "gpt2-124m\n");
  EXPECT_EQ(Offered("check --plan r", 3), "round-robin\n");
  EXPECT_EQ(Offered("check --require zero-", 3), "zero-1\nzero-2\nzero-3\n");
  EXPECT_EQ(Offered("check --seed ''", 3), "1\n2\n3\nrandom\n");
  EXPECT_EQ(Offered("check --ranks ''", 3), "1\n2\n3\n4\n8\n");
  EXPECT_EQ(Offered("report --html x --c", 4), "--ctrf\n");
  EXPECT_EQ(Offered("completion z", 2), "zsh\n");
  EXPECT_EQ(Offered("plan ver", 2), "verify\n");
  EXPECT_EQ(Offered("plan cost --lin", 3), "--link\n");
}

TEST_F(CompletionInBash, OffersEverySubcommandAndFilesWhereTheyBelong) {
  const std::string commands = Offered("''", 1);
  for (const char* command : {"check", "doctor", "report", "completion", "--version"})
    EXPECT_NE(commands.find(std::string(command) + "\n"), std::string::npos) << commands;
  EXPECT_EQ(Offered("report '" + folder().string() + "/plai'", 2), folder().string() + "/plain.txt\n");
}

TEST(CompletionInZsh, ScriptIsOne) {
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(
      std::system("'" ZEROCTS_PROGRAM "' completion zsh >zerocts_completion_test && zsh -n zerocts_completion_test; "
                  "status=$?; rm -f zerocts_completion_test; exit $status"),
      0);
}

}  // namespace
}  // namespace zerocts
