// What a subject is told of a case, and what of its answers is written down: told.c records every call.
#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/host/rank/case_runner_for_test.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

TEST_F(CaseRunnerTest, OpenSaysAllOfTheCase) {
  Observed(CaseOfEverything());
  EXPECT_EQ(Told().substr(0, Told().find("set_frozen")),
            "open rank 0 of 1 stage 1 dtype 1 optimizer 1 K 2 max_norm 2 order tree plan  bucket 0\n"
            "mesh replicas 1 sync 1 accumulation 2 reduce 2 clip_norm 2 clip_formula 2 offload 2 overlap 2\n"
            "parameter a group 0 ndim 2 numel 4 dtype 0 flags 0 tied_to 0\n"
            "parameter mask group 0 ndim 1 numel 3 dtype 0 flags 1 tied_to 0\n"
            "parameter a2 group 0 ndim 2 numel 4 dtype 0 flags 0 tied_to 1\n"
            "parameter d group 1 ndim 0 numel 1 dtype 2 flags 0 tied_to 0\n"
            "group lr 0.5 decay 0 momentum 0.5 beta1 0.9 beta2 0.999 eps 1e-08 dampening 0 nesterov 1\n"
            "group lr 0.25 decay 0 momentum 0.5 beta1 0.9 beta2 0.999 eps 1e-08 dampening 0.25 nesterov 0\n"
            "loss_scaling kind 2 scale 8 growth 4 backoff 0.25 minimum 0.5 renew 1 interval 3 hysteresis 2\n"
            "accumulate 0.0 given NULL given given\n"
            "accumulate 0.1 given NULL given given\n"
            "step 0\n"
            "set_group 1 group lr 0.125 decay 0 momentum 0 beta1 0.9 beta2 0.999 eps 1e-08 dampening 0 nesterov 0\n");
}

TEST_F(CaseRunnerTest, APlainCaseAsksForNothingMore) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  Observed(c);
  EXPECT_EQ(Told("mesh"),
            "mesh replicas 1 sync 0 accumulation 0 reduce 0 clip_norm 0 clip_formula 0 offload 0 overlap 0\n");
  EXPECT_EQ(Told("parameter"), "parameter a group 0 ndim 1 numel 2 dtype 0 flags 0 tied_to 0\n");
  EXPECT_EQ(Told("loss_scaling") + Told("set_frozen"), "");
}

TEST_F(CaseRunnerTest, EveryOptimizerHasItsCode) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  using enum OptimizerKind;
  for (const auto& [kind, code] : {std::pair{kSgd, "1"}, {kAdamW, "2"}, {kAdam, "3"}, {kLamb, "4"}, {kMuon, "5"}}) {
    c.experiment.optimizer = kind;
    Observed(c);
    EXPECT_NE(Told("open").find(std::string("optimizer ") + code + " "), std::string::npos) << Told("open");
  }
}

TEST_F(CaseRunnerTest, FreezesBeforeTheStepAndThawsAfterTheLast) {
  Observed(CaseOfEverything());
  const std::string told = Told();
  const size_t freeze = told.find("set_frozen 0 1"), thaw = told.find("set_frozen 0 0");
  EXPECT_TRUE(told.find("step 0") < freeze && freeze < told.find("accumulate 1.0"));
  EXPECT_TRUE(told.find("step 1") < thaw && thaw < told.find("accumulate 2.0"));
  EXPECT_EQ(Told("set_frozen"), "set_frozen 0 1\nset_frozen 0 0\n");
  Case from_the_start = CaseOfEverything();
  from_the_start.experiment.roles.frozen = {{3, 0, 2}, {3, 2, 9}};  // one span after the other is one
  Observed(from_the_start);
  EXPECT_EQ(Told("set_frozen"), "set_frozen 3 1\n");
  EXPECT_LT(Told().find("set_frozen"), Told().find("accumulate 0.0"));
}

TEST_F(CaseRunnerTest, GivesNullWhereThereIsNoGradient) {
  Observed(CaseOfEverything());
  EXPECT_EQ(Told("accumulate 1"), "accumulate 1.0 NULL NULL NULL given\naccumulate 1.1 NULL NULL NULL given\n");
  EXPECT_EQ(Told("accumulate 2"), "accumulate 2.0 given NULL given NULL\naccumulate 2.1 NULL NULL given NULL\n");
  Case zeros = CaseOfEverything();
  zeros.experiment.roles.without_gradient.clear();
  zeros.missing_as_null = false;
  Observed(zeros);
  EXPECT_EQ(Told("accumulate 2.1"), "accumulate 2.1 given NULL given given\n");
}

TEST_F(CaseRunnerTest, MakesTheInvalidRequestOfACaseInItsFirstMicroBatch) {
  Case c = CaseOfEverything();
  c.undeclared = true;
  const auto first = [&](InvalidRequest invalid_request) {
    c.invalid_request = invalid_request;
    Observed(c);
    return Told("accumulate 0.0");
  };
  EXPECT_EQ(first(InvalidRequest::kNone), "accumulate 0.0 given NULL given given\n");
  EXPECT_EQ(first(InvalidRequest::kFewerGradients), "accumulate 0.0 given NULL given\n");
  EXPECT_EQ(first(InvalidRequest::kMoreGradients), "accumulate 0.0 given NULL given given given\n");
  EXPECT_EQ(Told("accumulate 0.1"), "accumulate 0.1 given NULL given given\n");
  c.experiment.roles.frozen = {{0, 0, 1}};
  EXPECT_EQ(first(InvalidRequest::kNone), "accumulate 0.0 NULL NULL NULL given\n");
  EXPECT_EQ(first(InvalidRequest::kGradientOfFrozen), "accumulate 0.0 given NULL NULL given\n");
}

TEST_F(CaseRunnerTest, AnOlderSubjectNeedNotRefuseWhatItCannotKnow) {
  abi_minor_ = ZEROCTS_ABI_MINOR + 1;
  Case c = CaseOfEverything();
  Observed(c);
  c.undeclared = true;
  EXPECT_EQ(std::get<UnsupportedMessage>(Run(c)).reason,
            "requests of version 1.1 of the ABI (it was compiled with 1.0)");
}

TEST_F(CaseRunnerTest, GivesTheInvalidOptionBesideThoseOfTheRun) {
  Case c = CaseOfEverything();
  c.undeclared = true;
  c.invalid_request = InvalidRequest::kOption;
  c.invalid_option = "math=value_of_nobody";
  Observed(c);
  EXPECT_EQ(Told("option"), "option math=value_of_nobody\n");
}

TEST_F(CaseRunnerTest, RanksOfWhatIsToBeRefusedMeetAfterOpen) {
  Case c = CaseOfEverything();
  Observed(c);
  EXPECT_EQ(client_.barriers, 0);
  c.undeclared = true;
  c.invalid_request = InvalidRequest::kFewerMicroBatches;
  Observed(c);
  EXPECT_EQ(client_.barriers, 1);
}

TEST_F(CaseRunnerTest, ReadsWhatAParameterHasInItsDtype) {
  Case c = CaseOfEverything();
  c.observe_parameters = c.observe_states = c.observe_gradient = true;
  c.observe_last_step_only = true;
  const RankObservation o = Observed(c);
  EXPECT_EQ(Told("read"),
            "read 0 16 bytes\nread 1 12 bytes\nread 2 16 bytes\nread 3 2 bytes\n"
            "read master of 0\nread master of 3\nread momentum of 0\nread momentum of 3\n"
            "read gradient of 0\n");  // d had none in this step
  EXPECT_TRUE(o.owned[1].empty() && o.owned[2].empty());
}

TEST_F(CaseRunnerTest, WritesDownScalesAndSkips) {
  const RankObservation o = Observed(CaseOfEverything());
  ASSERT_EQ(o.scalars.size(), 3u);
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(o.scalars[step].skipped, step == 1);
    EXPECT_EQ(o.scalars[step].loss_scale, 8.0f / static_cast<float>(step + 1));
  }
}

/// Two steps of one parameter, saved after the first.
Case WithCheckpoint(CheckpointUse how) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.experiment.initial = InitialValues::kIntegers;
  c.experiment.steps = 2;
  c.checkpoint = {0, how};
  return c;
}

TEST_F(CaseRunnerTest, ResumesWithAFreshEngineThatHadOtherValues) {
  const Case c = WithCheckpoint(CheckpointUse::kResume);
  const RankObservation o = Observed(c);
  const std::string told = Told();
  const float other = 1 - InitialValuesOf(c.experiment, 0)[0] / 2;
  const std::vector<std::string> in_order = {
      "step 0", "save folder\n",  "close\n", "open", "load folder first value " + fmt::format("{}\n", other),
      "read 0", "accumulate 1.0", "step 1"};
  size_t at = 0;
  for (const std::string& line : in_order) {
    const size_t found = told.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << " in\n" << told;
    at = found + line.size();
  }
  std::vector<std::pair<int64_t, std::string>> resumed;
  for (const TensorRecord& record : o.tensors) {
    if (record.phase == Phase::kResume) resumed.emplace_back(record.step, record.what);
  }
  EXPECT_EQ(resumed, (std::vector<std::pair<int64_t, std::string>>{
                         {0, "parameter_after_resume"}, {0, "master_after_resume"}, {0, "momentum_after_resume"}}));
}

TEST_F(CaseRunnerTest, BeginsWithWhatOthersSaved) {
  Case c = WithCheckpoint(CheckpointUse::kLoad);
  c.checkpoint->other_world_size = 2;
  const RankObservation o = Observed(c);
  const std::string told = Told();
  const float other = 1 - InitialValuesOf(c.experiment, 0)[0] / 2;
  const size_t open = told.find("open"), load = told.find("load folder first value " + fmt::format("{}\n", other)),
               step = told.find("step 1");
  EXPECT_TRUE(open < load && load < step && step != std::string::npos) << told;
  EXPECT_EQ(told.find("step 0"), std::string::npos) << told;
  EXPECT_EQ(told.find("save"), std::string::npos) << told;
  EXPECT_EQ(o.input_hash, InputHash(c, 0));
  EXPECT_EQ(o.tensors.front().what, "parameter_after_resume");
  EXPECT_EQ(o.tensors.front().step, 0);
  EXPECT_EQ(o.scalars.size(), 1u);
}

TEST_F(CaseRunnerTest, DamagesOneFileBeforeItIsLoaded) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("zerocts-damage-test-{}", getpid());
  checkpoint_folder_ = folder.string();
  const auto left_by = [&](FileDamage damage) {
    fs::create_directories(folder / "inner");
    for (const char* name : {"a", "empty", "inner/b"}) std::ofstream(folder / name) << (name[0] == 'e' ? "" : "four");
    Case c = WithCheckpoint(CheckpointUse::kResume);
    c.checkpoint->damage = damage;
    Run(c);
    std::string left;
    for (const char* name : {"a", "inner/b"}) {
      left += fs::exists(folder / name) ? fmt::format("{} ", fs::file_size(folder / name)) : "none ";
    }
    fs::remove_all(folder);
    return left;
  };
  EXPECT_EQ(left_by({Damage::kMissing, 0}), "none 4 ");
  EXPECT_EQ(left_by({Damage::kCut, 1}), "4 2 ");
  EXPECT_EQ(left_by({Damage::kCut, 2}), "2 4 ");
}

TEST_F(CaseRunnerTest, SavesAndGoesOn) {
  Observed(WithCheckpoint(CheckpointUse::kSaveOnly));
  EXPECT_EQ(Told("save") + Told("load"), "save folder\n");
  EXPECT_EQ(Told("open").find("open", 1), std::string::npos) << "it is opened once";
}

TEST_F(CaseRunnerTest, WhatNoHostCanReadIsTheSubjectsRefusal) {
  plugin_ = Plugin::Load(ZEROCTS_TESTDATA_PLUGINS "/faulty.so");
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  const auto refusal_of = [&](const char* fault) {
    const CaseAnswer answer = Run(c, {{"fault", fault}, {"rank", "0"}});
    const auto* refused = std::get_if<RefusedMessage>(&answer);
    return refused ? refused->call + ": " + refused->text : "none";
  };
  EXPECT_EQ(refusal_of("many_owned"), "owned: owned says 4294967295 intervals of parameter 0, which has 2 elements");
  EXPECT_EQ(refusal_of("null_key"), "step: set: expected a key and memory for the value, got NULL");
}

TEST_F(CaseRunnerTest, ALoadThatIsRefusedIsTheSubjectsRefusal) {
  checkpoint_folder_ = "none";
  const CaseAnswer answer = Run(WithCheckpoint(CheckpointUse::kResume));
  const auto& refused = std::get<RefusedMessage>(answer);
  EXPECT_EQ(refused.call, "load");
  EXPECT_EQ(refused.step, 0);
}

TEST_F(CaseRunnerTest, AsksForNothingThatIsNotDeclared) {
  Case c = CaseOfEverything();
  c.stage = 2;
  EXPECT_EQ(std::get<UnsupportedMessage>(Run(c)).reason, "stage 2 (declared: 1, 3)");
  EXPECT_EQ(std::get<UnsupportedMessage>(Run(c, {{"told", "less"}})).reason, "stage 2 (declared: 1)");
}

}  // namespace
}  // namespace zerocts
