#include "conformance/cli/machine/completion.hpp"

#include <gtest/gtest.h>

#include "conformance/report/log/has_for_test.hpp"

namespace zerocts {
namespace {

const std::vector<CompletedCommand> kCommands = {
    {.name = "check",
     .description = "Judge it",
     .options = {{"--subject", true, {"native", "torch"}}, {"--out", true, {}}, {"--verbose", false, {}}},
     .operands = {"C-ZERO-001", "ownership"}},
    {.name = "gpus", .description = "it's: a list", .options = {}, .operands = {}}};

TEST(Completion, BothShellsKnowCommandsOptionsAndWords) {
  for (const std::string& script : {BashCompletion(kCommands), ZshCompletion(kCommands)}) {
    EXPECT_TRUE(Has(script, "offered='check gpus --help --version'")) << script;
    EXPECT_TRUE(Has(script, "check) offered='--subject --out --verbose' ;;")) << script;
    EXPECT_TRUE(Has(script, "check) offered='C-ZERO-001 ownership' ;;")) << script;
    EXPECT_TRUE(Has(script, "check\\ --subject) offered='native torch' ;;")) << script;
    EXPECT_TRUE(Has(script, "check\\ --out) files=1 ;;")) << script;
    EXPECT_FALSE(Has(script, "check\\ --verbose)")) << "it takes no value\n" << script;
  }
}

TEST(Completion, ZshDescribesCommandsWithoutItsOwnSigns) {
  EXPECT_TRUE(Has(ZshCompletion(kCommands), "'gpus:its, a list'")) << ZshCompletion(kCommands);
}

}  // namespace
}  // namespace zerocts
