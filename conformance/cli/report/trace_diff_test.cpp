#include "conformance/cli/report/trace_diff.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/bad_json_for_test.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

/// Two parameters whose order in the model is not that of their names.
Trace SomeTrace() {
  const json header = {
      {"record", "header"}, {"kernels", "avx2"}, {"experiment", {{"parameters", {{{"name", "w"}}, {{"name", "b"}}}}}}};
  const auto step = [](int number) {
    return json{{"record", "step"},
                {"step", number},
                {"losses", {5.5, 5.25}},
                {"grad_norm", 1.5},
                {"hashes",
                 {{"exp_avg/b", "1"},
                  {"exp_avg/w", "2"},
                  {"gradient/b", "3"},
                  {"gradient/w", "4"},
                  {"parameter/b", "5"},
                  {"parameter/w", "6"}}}};
  };
  return {header, step(0), step(1), step(2)};
}

TEST(TraceDiff, EqualTraces) { EXPECT_EQ(FirstDifference(SomeTrace(), SomeTrace()), ""); }

TEST(TraceDiff, FirstInProgramOrderNotInAlphabet) {
  Trace b = SomeTrace();
  b[2]["hashes"]["parameter/w"] = "x";
  EXPECT_EQ(FirstDifference(SomeTrace(), b), "step 1, parameter of w\n  A: \"6\"\n  B: \"x\"");
  b[2]["hashes"]["exp_avg/b"] = "x";
  EXPECT_EQ(FirstDifference(SomeTrace(), b).rfind("step 1, exp_avg of b", 0), 0u);
  b[2]["hashes"]["exp_avg/w"] = "x";
  EXPECT_EQ(FirstDifference(SomeTrace(), b).rfind("step 1, exp_avg of w", 0), 0u);
  b[2]["grad_norm"] = 2.0;
  EXPECT_EQ(FirstDifference(SomeTrace(), b).rfind("step 1, grad_norm", 0), 0u);
  b[2]["hashes"]["gradient/b"] = "x";
  EXPECT_EQ(FirstDifference(SomeTrace(), b).rfind("step 1, gradient of b", 0), 0u);
  b[2]["losses"][1] = 5.125;
  EXPECT_EQ(FirstDifference(SomeTrace(), b).rfind("step 1, losses", 0), 0u);
  b[1]["hashes"]["parameter/b"] = "x";
  EXPECT_EQ(FirstDifference(SomeTrace(), b).rfind("step 0, parameter of b", 0), 0u);
}

TEST(TraceDiff, MissingAndUnknownFieldsAreSeen) {
  Trace b = SomeTrace();
  b[3]["hashes"].erase("parameter/b");
  EXPECT_EQ(FirstDifference(SomeTrace(), b), "step 2, parameter of b\n  A: \"5\"\n  B: nothing");
  b = SomeTrace();
  b[1]["of a later format"] = 1;
  EXPECT_EQ(FirstDifference(SomeTrace(), b), "step 0, of a later format\n  A: nothing\n  B: 1");
  b = SomeTrace();
  b.pop_back();
  EXPECT_EQ(FirstDifference(SomeTrace(), b), "only A goes on after 2 steps");
}

TEST(TraceDiff, OtherConditionsAreNoDifferenceOfResults) {
  Trace b = SomeTrace();
  b[0]["kernels"] = "portable";
  EXPECT_EQ(FirstDifference(SomeTrace(), b), "");
  EXPECT_EQ(DifferentConditions(SomeTrace(), b), std::vector<std::string>{"kernels: A \"avx2\", B \"portable\""});
}

TEST(TraceDiff, AnotherExperimentIsMoreThanAnotherCondition) {
  Trace b = SomeTrace();
  b[0]["kernels"] = "portable";
  b[0]["experiment"]["world_size"] = 2;
  EXPECT_EQ(DifferentExperiments(SomeTrace(), b), std::vector<std::string>());
  b[0]["experiment"]["parameters"][0]["shape"] = {16};
  b[0]["experiment"]["text_hash"] = "x";
  const std::vector<std::string> others = {"experiment/parameters/0/shape/0: A \"nothing\", B 16",
                                           "experiment/text_hash: A \"nothing\", B \"x\""};
  EXPECT_EQ(DifferentExperiments(SomeTrace(), b), others);
}

TEST(TraceDiff, TracesThatEndEarlyAreNotWholeOnes) {
  Trace a = SomeTrace();
  a[0]["experiment"]["steps"] = 3;
  EXPECT_EQ(CutShort(a, a), "");
  Trace b = a;
  b.pop_back();
  EXPECT_EQ(FirstDifference(b, b), "");
  EXPECT_EQ(CutShort(b, b), "A and B end after 2 of 3 steps");
  EXPECT_EQ(CutShort(a, b), "B ends after 2 of 3 steps");
  a[0]["experiment"]["steps"] = "many";
  EXPECT_EQ(CutShort(a, a), "");
}

TEST(TraceDiff, RefusesWhatIsNoTrace) {
  const std::string path = testing::TempDir() + "trace_diff_test." + std::to_string(getpid());
  for (const char* text : {"", "nonsense\n", "{\"record\":\"step\"}\n", "[]\n"}) {
    std::ofstream(path) << text;
    EXPECT_THROW(ReadTrace(path), UsageError) << text;
  }
  EXPECT_THROW(ReadTrace(path + ".missing"), UsageError);
  const auto sentence_for = [&](const std::string& text) -> std::string {
    std::ofstream(path) << text << '\n';
    try {
      ReadTrace(path);
    } catch (const UsageError& wrong) {
      return wrong.what();
    }
    return "";
  };
  const auto says = [&](const std::string& text, const char* phrase) {
    EXPECT_NE(sentence_for(text).find(phrase), std::string::npos) << sentence_for(text);
  };
  for (const BadJson& bad : BadJsonValues()) {
    says("{\"record\":" + bad.value + "}", "line 1 is no header record: line 1, column ");
    says("{\"record\":" + bad.value + "}", bad.phrase);
  }
  says(R"({"record":3})", "line 1 is no header record: header.record: expected text, got 3");
  says(R"({"record":"header"})", "header.experiment: expected this field, it is missing");
  says(R"({"record":"header","experiment":{"parameters":[{}]}})", "experiment.parameters[0].name: expected this field");
  says(SomeTrace()[0].dump() + "\n{\"record\":\"step\",\"step\":0}",
       "line 2 is no step record: step.hashes: expected this field");
  std::ofstream(path) << SomeTrace()[0].dump() << '\n' << SomeTrace()[1].dump() << '\n';
  EXPECT_EQ(ReadTrace(path).size(), 2u);
  unlink(path.c_str());
}

}  // namespace
}  // namespace zerocts
