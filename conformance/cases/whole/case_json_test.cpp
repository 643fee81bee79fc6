#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/cases/case/corpus.hpp"
#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "reference/experiment/bad_json_for_test.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / ("zerocts_cases_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

Case AnyCase(int world_size = 3) {
  return (*rc::gen::resize(
      50, CasesOf(EverythingOf(ShapeStyle::kMixed), {world_size, Precision::kBf16, {}}, EverythingCapable())));
}

RC_GTEST_PROP(CaseJson, RoundTripThroughText, ()) {
  const auto shapes = *rc::gen::element(ShapeStyle::kMixed, ShapeStyle::kDegenerate, ShapeStyle::kLarge);
  const auto precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  const bool model = *rc::gen::arbitrary<bool>();
  const Case c = *CasesOf(model ? ModelSpace() : EverythingOf(shapes), {*rc::gen::inRange(1, 9), precision, {}},
                          EverythingCapable());
  RC_ASSERT(CaseFromJson(json::parse(ToJson(c).dump())) == c);
}

RC_GTEST_PROP(CaseJson, RoundTripOfEveryArrangementAndRole, ()) {
  const bool model = *rc::gen::arbitrary<bool>();
  const CaseSpace space = SemanticsOf(model ? ModelSpace() : EverythingOf(ShapeStyle::kMixed));
  Case c = *CasesOf(space, {*rc::gen::inRange(1, 9), Precision::kFp32, {}}, EverythingCapable());
  const bool has_figures = c.experiment.experts.count == 1;
  c.observe_traffic = has_figures && *rc::gen::arbitrary<bool>();
  c.observe_timeline = *rc::gen::arbitrary<bool>();
  c.observe_events = *rc::gen::arbitrary<bool>();
  c.observe_profile = *rc::gen::arbitrary<bool>();
  c.observe_resources = *rc::gen::arbitrary<bool>();
  c.report_steps = *rc::gen::arbitrary<bool>();
  c.observe_memory = c.observe_memory_estimate = has_figures && *rc::gen::arbitrary<bool>();
  RC_ASSERT(CaseFromJson(json::parse(ToJson(c).dump())) == c);
}

TEST(CaseJson, AnInvalidRequestIsWrittenWhereThereIsOne) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  EXPECT_FALSE(ToJson(c).contains("invalid_request") || ToJson(c).contains("invalid_option"));
  c.invalid_request = InvalidRequest::kOption;
  c.invalid_option = "math=value_of_nobody";
  const json written = ToJson(c);
  EXPECT_EQ(CaseFromJson(written), c);
  json without = written;
  without.erase("invalid_option");
  EXPECT_THROW(CaseFromJson(without), std::invalid_argument);
}

TEST(CaseJson, AFieldThatMayBeMissingIsWrittenWhereItIsNotAsUsual) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.experiment.world_size = 6;
  const json usual = ToJson(c);
  const std::vector<std::string> names = {"replicas",         "gradient_sync",     "overlap",
                                          "offload",          "missing_as_null",   "observe_traffic",
                                          "observe_timeline", "observe_events",    "observe_memory_estimate",
                                          "observe_profile",  "observe_resources", "report_steps",
                                          "checkpoint"};
  for (const std::string& name : names) EXPECT_FALSE(usual.contains(name)) << name;
  EXPECT_EQ(CaseFromJson(usual), c);
  c.stage = 3;
  c.replicas = 2;
  c.gradient_sync = GradientSync::kEveryMicroBatch;
  c.overlap = Overlap::kOff;
  c.offload = Offload::kParams;
  c.missing_as_null = false;
  c.checkpoint = {0, CheckpointUse::kSaveOnly};
  c.observe_traffic = c.observe_timeline = c.observe_events = c.observe_memory = c.observe_memory_estimate = true;
  c.observe_profile = c.observe_resources = c.report_steps = true;
  const json other = ToJson(c);
  EXPECT_EQ(CaseFromJson(other), c);
  for (const std::string& name : names) {
    ASSERT_TRUE(other.contains(name)) << name;
    json without = other;
    without.erase(name);
    EXPECT_FALSE(CaseFromJson(without) == c) << name;
    json of_wrong_type = other;
    of_wrong_type[name] = json::array();
    EXPECT_THROW(CaseFromJson(of_wrong_type), std::invalid_argument) << name;
  }
}

TEST(CaseJson, ExtraCallsAreWrittenWhereThereAreAny) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  EXPECT_FALSE(ToJson(c).contains("extra_calls"));
  c.extra_calls = {{0, 0, ExtraCallKind::kRead}, {0, 1, ExtraCallKind::kRepeatedMicroBatch}};
  json written = ToJson(c);
  EXPECT_EQ(written["extra_calls"][1].dump(), R"({"kind":"repeated micro-batch","micro_batches":1,"step":0})");
  EXPECT_EQ(CaseFromJson(written), c);
  written["extra_calls"][0]["kind"] = "sometimes";
  EXPECT_THROW(CaseFromJson(written), std::invalid_argument);
  written["extra_calls"] = json::object();
  EXPECT_THROW(CaseFromJson(written), std::invalid_argument);
}

TEST(CaseJson, ACheckpointIsReadStrictly) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.experiment.steps = 3;
  c.checkpoint = {1, CheckpointUse::kResume};
  const json whole = ToJson(c);
  EXPECT_EQ(whole["checkpoint"].dump(), R"({"after_step":1,"how":"resume"})");
  EXPECT_EQ(CaseFromJson(whole), c);
  const auto sentence_with = [&](const char* field, const json& value) -> std::string {
    json other = whole;
    other["checkpoint"][field] = value;
    try {
      CaseFromJson(other);
    } catch (const std::invalid_argument& wrong) {
      return wrong.what();
    }
    return "";
  };
  EXPECT_EQ(sentence_with("after_step", 3), "case.checkpoint.after_step: expected a step from 0 to 2, got 3");
  EXPECT_NE(sentence_with("how", "sometimes").find("case.checkpoint.how: expected"), std::string::npos)
      << sentence_with("how", "sometimes");
  c.checkpoint->damage = {Damage::kCut, 3};
  EXPECT_EQ(ToJson(c)["checkpoint"]["damage"].dump(), R"({"file":3,"what":"cut"})");
  EXPECT_EQ(CaseFromJson(ToJson(c)), c);
  EXPECT_NE(sentence_with("damage", {{"what", "cut"}, {"file", -1}}).find("case.checkpoint.damage.file: expected"),
            std::string::npos);
  c.checkpoint->how = CheckpointUse::kSaveOnly;
  EXPECT_EQ(Problem(c), "case.checkpoint.damage: expected none where nothing is loaded, got \"cut\"");
  EXPECT_NE(sentence_with("where", "here").find("where"), std::string::npos);
}

TEST(CaseJson, WhoLoadsWhatOthersSavedIsInTheCheckpoint) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.experiment.steps = 2;
  c.experiment.world_size = 3;
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 2};
  EXPECT_EQ(ToJson(c)["checkpoint"].dump(), R"({"after_step":0,"how":"reshard","other_world_size":2})");
  EXPECT_EQ(CaseFromJson(ToJson(c)), c);
  const Case loading = LoadingRun(c);
  EXPECT_EQ(ToJson(loading)["checkpoint"].dump(), R"({"after_step":0,"how":"load","other_world_size":3})");
  EXPECT_EQ(CaseFromJson(ToJson(loading)), loading);
  EXPECT_EQ(ToJson(SavingRun(c))["checkpoint"].dump(), R"({"after_step":0,"how":"save_only"})");
  EXPECT_EQ(Summary(c), "W=3 K=1 stage 1 fp32 sgd, 2 steps, 1 parameter (2 elements), reshard after step 0 (to W=2)");
  EXPECT_EQ(Problem(loading), "");
  c.checkpoint->other_world_size = 3;
  EXPECT_EQ(Problem(c), "case.checkpoint.other_world_size: expected another number of ranks than 3, got 3");
  c.checkpoint->other_world_size = 2;
  c.experiment.gradients = GradientSource::kUniform;
  c.reduction_order = "rank";
  EXPECT_EQ(Problem(c), "case.checkpoint.how: expected another one because the sums show their order, got \"reshard\"");
  c.checkpoint->how = CheckpointUse::kResume;
  EXPECT_EQ(Problem(c), "case.checkpoint.other_world_size: expected none where the same ranks load, got 2");
}

TEST(CaseJson, AReshardWhoseLoadingRunMakesNoSenseIsNone) {
  Case c;
  c.experiment.parameters = {{"a", {8}, 0}};
  c.experiment.world_size = 4;
  c.replicas = 2;
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 3};
  EXPECT_EQ(Problem(c), "the run that loads: case.replicas: expected a divisor of the world size 3, got 2");
}

RC_GTEST_PROP(CaseJson, RoundTripThroughAFile, ()) {
  const Folder folder;
  const Case c = AnyCase();
  SaveCase(c, folder / "case.json");
  RC_ASSERT(LoadCase(folder / "case.json") == c);
}

RC_GTEST_PROP(CaseJson, EveryFieldIsNeededAndNoOtherIsAllowed, ()) {
  const json whole = ToJson(AnyCase());
  for (const auto& [name, value] : whole.items()) {
    json without = whole;
    without.erase(name);
    RC_ASSERT_THROWS_AS(CaseFromJson(without), std::invalid_argument);
    json of_wrong_type = whole;
    of_wrong_type[name] = json::array({json::object()});
    RC_ASSERT_THROWS_AS(CaseFromJson(of_wrong_type), std::invalid_argument);
  }
  json with_more = whole;
  with_more["stages"] = 1;
  RC_ASSERT_THROWS_AS(CaseFromJson(with_more), std::invalid_argument);
}

std::string SentenceFor(json value) {
  try {
    CaseFromJson(value);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "accepted";
}

RC_GTEST_PROP(CaseJson, SentencesNameTheField, ()) {
  const json whole = ToJson(AnyCase());
  const auto sentence_with = [&](const char* pointer, const json& value) {
    json changed = whole;
    changed[json::json_pointer(pointer)] = value;
    return SentenceFor(changed);
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  RC_ASSERT(contains(sentence_with("/stage", 4), "case.stage: expected"));
  RC_ASSERT(contains(sentence_with("/reduction_order", "gloo"),
                     "case.reduction_order: expected one of any, rank, ring, tree, probed, got \"gloo\""));
  RC_ASSERT(contains(sentence_with("/read_order", "sideways"),
                     "read_order: expected one of forward, reversed, shuffled; got \"sideways\""));
  RC_ASSERT(contains(sentence_with("/fidelity", "nearly"), "fidelity: expected one of bitwise"));
  RC_ASSERT(contains(sentence_with("/experiment/world_size", 0), "experiment.world_size: expected 1 or more, got 0"));
  RC_ASSERT(contains(sentence_with("/stag", 1), "stag"));
  RC_ASSERT(contains(sentence_with("/replicas", 2), "case.replicas: expected a divisor of the world size 3, got 2"));
  RC_ASSERT(contains(sentence_with("/gradient_sync", "never"),
                     "case.gradient_sync: expected one of last_micro_batch, every_micro_batch; got \"never\""));
}

TEST(CaseFile, OfBeforeIsRefusedInOneSentenceThatNamesTheProgram) {
  const Folder folder;
  const std::string path = folder / "old.json";
  const std::string sentence =
      "case file " + path + ": it has names from before 1.0; scripts/rename_case_file.py renames them";
  const std::vector<std::pair<std::string, std::string>> names = {
      {"mistake", "option"}, {"mistaken_option", "math=x"}, {"gradient_sync", "each"}, {"gradient_sync", "last"}};
  for (const auto& [name, value] : names) {
    json old = ToJson(Case());
    old[name] = value;
    std::ofstream(path) << old;
    try {
      LoadCase(path);
      ADD_FAILURE() << name << " was read";
    } catch (const std::runtime_error& wrong) {
      EXPECT_EQ(wrong.what(), sentence);
    }
  }
}

TEST(CaseFile, ProblemsNameTheFile) {
  const Folder folder;
  const auto sentence_for = [](const std::string& path) -> std::string {
    try {
      LoadCase(path);
    } catch (const std::runtime_error& wrong) {
      return wrong.what();
    }
    return "accepted";
  };
  EXPECT_NE(sentence_for(folder / "none.json").find("none.json: expected a file that can be read"), std::string::npos);
  EXPECT_NE(sentence_for(folder / "").find("expected a file that can be read"), std::string::npos);
  std::ofstream(folder / "half.json") << "{\"clause\": ";
  EXPECT_NE(sentence_for(folder / "half.json")
                .find("half.json: line 1, column 12: expected a value, got the end of the text"),
            std::string::npos);
  std::ofstream(folder / "empty.json") << "";
  EXPECT_NE(sentence_for(folder / "empty.json").find("empty.json: line 1, column 1: expected a value"),
            std::string::npos);
  std::ofstream(folder / "list.json") << "[]";
  EXPECT_NE(sentence_for(folder / "list.json").find("list.json: case"), std::string::npos);
  for (const BadJson& bad : BadJsonValues()) {
    std::ofstream(folder / "bad.json") << "{\"clause\":\n" << bad.value << "}";
    EXPECT_NE(sentence_for(folder / "bad.json").find("bad.json: line 2, column"), std::string::npos);
    EXPECT_NE(sentence_for(folder / "bad.json").find(bad.phrase), std::string::npos)
        << sentence_for(folder / "bad.json");
  }
  EXPECT_THROW(SaveCase(Case{}, folder / "no/such/folder.json"), std::runtime_error);
}

TEST(Corpus, SavedCasesComeInNameOrder) {
  const Folder folder;
  for (const char* name : {"b.json", "a.json", "c.txt", "10.json"}) std::ofstream(folder / name) << "{}";
  const std::vector<std::string> expected = {folder / "10.json", folder / "a.json", folder / "b.json"};
  EXPECT_EQ(SavedCases(folder / ""), expected);
  EXPECT_TRUE(SavedCases(folder / "none").empty());
}

TEST(CaseSummary, IsOneLine) {
  Case c;
  c.experiment.world_size = 3;
  c.experiment.micro_batches = 2;
  c.experiment.steps = 1;
  c.experiment.parameters = {{"a", {3, 5}, 0}, {"b", {}, 0}, {"c", {0}, 0}};
  EXPECT_EQ(Summary(c), "W=3 K=2 stage 1 fp32 sgd, 1 step, 3 parameters (16 elements)");
  c.replicas = 3;
  c.gradient_sync = GradientSync::kEveryMicroBatch;
  c.overlap = Overlap::kOn;
  c.offload = Offload::kFull;
  EXPECT_EQ(Summary(c),
            "W=3 (3 replicas) K=2 (every_micro_batch) stage 1 fp32 sgd, 1 step, 3 parameters (16 elements), overlap "
            "on, offload "
            "full");
}

}  // namespace
}  // namespace zerocts
