// zerocts plan fuzz as a user types it, with planners that are right, wrong, and worse.
#include <algorithm>

#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

class PlanFuzzProgram : public Program {
 protected:
  /// `planner` as the shell of the program takes it.
  Ended Fuzz(const std::string& planner, const std::string& arguments = "") {
    return Run("plan fuzz --out out --cases 20 --planner \"" + planner + "\" " + arguments);
  }
  /// A planner that answers every line with this text.
  std::string Answering(const std::string& text) {
    Put("answer.txt", text);
    return "while read -r line; do cat answer.txt; done";
  }
};

const fs::path kPlans = ZEROCTS_PLANS_FOLDER;

TEST_F(PlanFuzzProgram, RunsTheExamplesAsTheyArePrinted) {
  const std::string page = Contents(kPlans / "FUZZING.md");
  EXPECT_TRUE(Has(page, "\n```python\n" + Contents(kPlans / "examples/planner.py") + "```\n"));
  EXPECT_TRUE(Has(page, "\n```c\n" + Contents(kPlans / "examples/planner.c") + "```\n"));
  for (const std::string& planner :
       {"python3 " + (kPlans / "examples/planner.py").string(), std::string("plugin:" ZEROCTS_EXAMPLE_PLANNER)}) {
    const Ended ended = Fuzz(planner);
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_TRUE(Has(ended.out, "20 cases, 0 of them from the corpus") && Has(ended.out, "\nsound\n")) << ended.out;
  }
}

TEST_F(PlanFuzzProgram, PassesOurOwnPlanners) {
  const Ended padded = Fuzz("padded", "--alignment 1,4,64");
  EXPECT_EQ(padded.exit_code, 0) << padded.out;
  EXPECT_TRUE(Has(padded.out, "alignment                 holds in ")) << padded.out;
  EXPECT_TRUE(Has(padded.out, "balance                   asks nothing of these cases")) << padded.out;
  const Ended by_owner = Fuzz("balanced");
  EXPECT_EQ(by_owner.exit_code, 0) << by_owner.out;
  EXPECT_TRUE(Has(by_owner.out, "not asked: --growth N bounds it")) << by_owner.out;
  EXPECT_EQ(Fuzz("contiguous", "--bucket 8").exit_code, 77);
}

TEST_F(PlanFuzzProgram, NamesTheSeedThatItDraws) {
  EXPECT_TRUE(Has(Fuzz("padded").out, " from the corpus, seed 1: "));
  const std::string out = Fuzz("padded", "--seed random").out;
  EXPECT_TRUE(Has(out, " from the corpus, seed ") && !Has(out, "seed 1: ")) << out;
}

/// The example, which rounds down.
TEST_F(PlanFuzzProgram, SavesTheSmallestCounterexample) {
  std::string floor = Contents(kPlans / "examples/planner.py");
  floor.replace(floor.find("-(-elements // shards)"), 22, "max(elements // shards, 1)");
  Put("floor.py", floor);
  const Ended json = Fuzz("python3 floor.py", "--json --junit junit.xml");
  EXPECT_TRUE(Has(json.out, "\"what\": \"P1 coverage: ") && Has(json.out, "\"exit_code\": 1")) << json.out;
  const std::string junit = Contents(folder() / "junit.xml");
  EXPECT_TRUE(Has(junit, "tests=\"18\" failures=\"1\" skipped=\"2\"")) << junit;
  const Ended ended = Fuzz("python3 floor.py");
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "P1 coverage               BROKEN") && Has(ended.out, "case     1 tensor of "))
      << ended.out;
  for (const std::string command : {"  verify   zerocts ", "  again    zerocts "}) {
    const size_t begin = ended.out.find(command);
    ASSERT_NE(begin, std::string::npos) << ended.out;
    const size_t first = begin + command.size();
    const Ended again = Run(ended.out.substr(first, ended.out.find('\n', first) - first));
    EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
    EXPECT_TRUE(Has(again.out, "P1 coverage: ")) << again.out;
  }
}

TEST_F(PlanFuzzProgram, FindsWhatDependsOnHashes) {
  std::string hashed = Contents(kPlans / "examples/planner.py");
  hashed.replace(
      hashed.find("    return answer"), 17,
      "    divisions.sort(key=lambda d: hash(request['model'][d['tensors'][0][0]]['name']))\n    return answer");
  Put("hashed.py", hashed);
  const Ended ended = Fuzz("python3 hashed.py");
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "same in another process   BROKEN")) << ended.out;
}

TEST_F(PlanFuzzProgram, CallsGarbageUnsound) {
  const std::string whole =
      R"({"format": "zerocts-plan", "version": 1, "parameters": "whole", "gradients": "whole", "optimizer": "whole", )";
  for (const std::string& text :
       {std::string("[]\n"), std::string("\n"), std::string("NaN\n"), whole + "\"alignment\": NaN}\n",
        whole + "\"alignment\": -1}\n", whole + "\"alignment\": 1e30}\n",
        std::string(R"({"ranks": {"0": [0, 4]}})"
                    "\n")}) {
    const Ended ended = Fuzz(Answering(text));
    EXPECT_EQ(ended.exit_code, 1) << text << ended.out << ended.err;
    EXPECT_TRUE(Has(ended.out, "\nanswer: ")) << text << ended.out;
  }
}

TEST_F(PlanFuzzProgram, SaysWhatAPlannerAnsweredThatEnded) {
  const Ended ended = Fuzz("read -r line; echo hi");
  EXPECT_EQ(ended.exit_code, 1) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "\nanswer: line 1, column 1: expected a value, got \"h\"")) << ended.out;
}

TEST_F(PlanFuzzProgram, TellsCrashesAndHangs) {
  const std::pair<const char*, const char*> bad[] = {
      {"exit 0", "the planner exited with 0 before it answered"},
      {"read -r line; kill -SEGV \\$\\$", "the planner was killed by signal 11 (SIGSEGV) before it answered"},
      {"read -r line; printf '{'; exit 1", "the planner exited with 1 in the middle of a line before it answered"},
      {"exec sleep 1000", "the planner did not answer within 1000 ms"},
  };
  for (const auto& [planner, phrase] : bad) {
    const Ended ended = Fuzz(planner, "--deadline 1s --most-tensors 0 --most-ranks 1 --stage 1");
    EXPECT_EQ(ended.exit_code, 4) << planner << ended.out << ended.err;
    EXPECT_TRUE(Has(ended.out, phrase)) << ended.out;
    EXPECT_TRUE(Has(ended.out, "  again    zerocts plan fuzz ")) << ended.out;
  }
}

TEST_F(PlanFuzzProgram, FindsTheSmallestCrash) {
  std::string crashes = Contents(kPlans / "examples/planner.py");
  crashes.replace(crashes.find("    part = -("), 13, "    assert elements >= shards\n    part = -(");
  Put("crashes.py", crashes);
  const Ended ended = Fuzz("python3 crashes.py");
  EXPECT_EQ(ended.exit_code, 4) << ended.out << ended.err;
  EXPECT_TRUE(Has(ended.out, "exited with 1 before it answered; its last words: AssertionError")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "case     1 tensor of 0 elements, 1 shard x 1 replica")) << ended.out;
}

TEST_F(PlanFuzzProgram, SurvivesPlugins) {
  struct Bad {
    const char* told;
    int exit_code;
    const char* phrase;
  };
  const Bad bad[] = {{"crash", 4, "the planner was killed by signal 6 (SIGABRT) before it answered"},
                     {"hang", 4, "the planner did not answer within 1000 ms"},
                     {"exit", 4, "the planner exited with 0 before it answered"},
                     {"refuse", 77, "20 cases were refused"},
                     {"fail", 1, "answer: it says: no memory"},
                     {"print", 1, "what was asked: parameters are divided: expected them whole in stage 1"}};
  for (const auto& [told, exit_code, phrase] : bad) {
    const Ended ended = Fuzz("plugin:" ZEROCTS_BAD_PLANNER,
                             std::string("--deadline 1s --most-tensors 1 --stage 1,3 --option do=") + told);
    EXPECT_EQ(ended.exit_code, exit_code) << told << ended.out << ended.err;
    EXPECT_TRUE(Has(ended.out, phrase)) << ended.out;
  }
}

TEST_F(PlanFuzzProgram, RefusesWhatCannotBeRead) {
  fs::create_directory(folder() / "corpus-without");
  const std::pair<const char*, const char*> bad[] = {
      {"--planner plugin:missing.so", "--planner plugin:missing.so: expected a library's file; check the path"},
      {"--planner plugin:plain.txt", "expected a library that can be loaded"},
      {"--planner plugin:" ZEROCTS_NO_SUBJECT, "expected the function zerocts_plan_v1"},
      {"--planner contigous", "--planner contigous: it exited with 127 before it answered; its last words"},
      {"--planner contiguous --corpus missing.json", "--corpus missing.json: expected a file that can be read"},
      {"--planner contiguous --corpus cut.json", "--corpus cut.json: line 1"},
      {"--planner contiguous --corpus corpus-without", "expected files *.request.json in it, found none"},
      {"--planner contiguous --cases 0", "expected a corpus with it"},
      {"--planner contiguous --without balnce", "--without: expected some of answer, what was asked, extents"},
      {"--planner contiguous --growth much", "--growth"},
      {"--planner contiguous --option x", "--option"},
      {"--planner contiguous --out plain.txt", "--out: expected a folder that can be written to"},
  };
  for (const auto& [arguments, phrase] : bad) {
    const Ended ended = Run(std::string("plan fuzz ") + arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments << ended.out;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_TRUE(Has(ended.err, phrase)) << arguments << "\n" << ended.err;
  }
}

}  // namespace
}  // namespace zerocts
