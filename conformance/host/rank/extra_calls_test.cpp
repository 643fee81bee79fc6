// Calls between those that train: what told.c, which records every call, is told.
#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>

#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/host/rank/case_runner_for_test.hpp"

namespace zerocts {
namespace {

using enum ExtraCallKind;

class ExtraCallsTest : public CaseRunnerTest {
 protected:
  ExtraCallsTest() { checkpoint_folder_ = folder_.string(); }
  ~ExtraCallsTest() override { std::filesystem::remove_all(folder_); }

  /// Two steps of one parameter and two micro-batches.
  static Case CaseWith(std::vector<ExtraCall> calls) {
    Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
    c.experiment.steps = c.experiment.micro_batches = 2;
    c.extra_calls = std::move(calls);
    c.observe_states = false;
    return c;
  }
  /// The calls from the second step on, but for what open writes down, and the folder's name in short.
  std::string ToldOfSecondStep() const {
    std::string lines;
    std::istringstream all(Told().substr(Told().rfind("step 0")));
    for (std::string line; std::getline(all, line);) {
      if (line.starts_with("mesh") || line.starts_with("parameter") || line.starts_with("group")) continue;
      if (const size_t at = line.find(checkpoint_folder_); at != std::string::npos)
        line.replace(at, checkpoint_folder_.size(), "F");
      lines += line.substr(0, line.find(" rank 0")).substr(0, line.find(" first")) + "\n";
    }
    return lines;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("zerocts-extra-calls-test-{}", getpid());
};

TEST_F(ExtraCallsTest, AreMadeInTheirOrderBetweenTheOthers) {
  const Case c = CaseWith({{1, 0, kRead}, {1, 0, kSave}, {1, 1, kSave}, {1, 1, kRead}, {1, 2, kRead}});
  const RankObservation o = Observed(c);
  EXPECT_EQ(ToldOfSecondStep(),
            "step 0\nread 0 8 bytes\n"
            "read 0 8 bytes\nsave F/save_1\n"
            "accumulate 1.0 given\nsave F/save_2\nread 0 8 bytes\n"
            "accumulate 1.1 given\nread 0 8 bytes\n"
            "step 1\nread 0 8 bytes\nclose\n");
  EXPECT_EQ(o.input_hash, InputHash(c, 0));
  const auto reads = std::ranges::count_if(
      o.tensors, [](const TensorRecord& record) { return record.what == "parameter_before_step" && record.step == 1; });
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(o.extra_calls, 5);
}

TEST_F(ExtraCallsTest, AFreshEngineWithinAStepGetsItsMicroBatchesAgain) {
  const Case c = CaseWith({{1, 1, kResume}, {1, 1, kRead}, {1, 2, kResume}});
  const RankObservation o = Observed(c);
  EXPECT_EQ(ToldOfSecondStep(),
            "step 0\nread 0 8 bytes\n"
            "accumulate 1.0 given\nsave F/save_1\nclose\nopen\nload F/save_1\nread 0 8 bytes\n"
            "accumulate 1.0 given\nread 0 8 bytes\n"
            "accumulate 1.1 given\nsave F/save_2\nclose\nopen\nload F/save_2\nread 0 8 bytes\n"
            "accumulate 1.0 given\naccumulate 1.1 given\n"
            "step 1\nread 0 8 bytes\n");
  EXPECT_EQ(o.input_hash, InputHash(c, 0)) << "each input counts once";
  for (const TensorRecord& record : o.tensors) {
    EXPECT_TRUE(!IsAfterResume(record.what) || record.step == 0) << record.step;
  }
}

TEST_F(ExtraCallsTest, AReturnRepeatsStepsFromTheFirstSaveAfterOne) {
  Case c = CaseWith({{0, 1, kSave}, {1, 1, kSave}, {2, 1, kResume}, {2, 2, kSave}, {2, 2, kReturn}, {2, 2, kRead}});
  c.experiment.steps = 3;
  const RankObservation o = Observed(c);
  const std::string told = ToldOfSecondStep();
  EXPECT_EQ(told,
            "step 0\nread 0 8 bytes\n"
            "accumulate 1.0 given\nsave F/save_2\naccumulate 1.1 given\nstep 1\nread 0 8 bytes\n"
            "accumulate 2.0 given\nsave F/save_3\nclose\nopen\nload F/save_3\nread 0 8 bytes\n"
            "accumulate 2.0 given\naccumulate 2.1 given\nsave F/save_4\nclose\nopen\nload F/save_2\nread 0 8 bytes\n"
            "accumulate 1.0 given\naccumulate 1.1 given\nstep 1\nread 0 8 bytes\n"
            "accumulate 2.0 given\naccumulate 2.1 given\nread 0 8 bytes\nstep 2\nread 0 8 bytes\n");
  EXPECT_EQ(o.input_hash, InputHash(c, 0));
}

TEST_F(ExtraCallsTest, OutOfOrderThatAreTakenAreABreach) {
  const auto breach_of = [&](const ExtraCall& call) {
    const CaseAnswer answer = Run(CaseWith({call}));
    const auto* breach = std::get_if<BreachMessage>(&answer);
    return breach ? breach->text : "none";
  };
  EXPECT_EQ(breach_of({1, 1, kEarlyStep}),
            "took a call out of order (early step in step 1 after 1 of its micro-batches), which is to be refused, at "
            "step 1, in step");
  EXPECT_NE(Told().find("accumulate 1.0 given\nstep 1\n"), std::string::npos) << Told();
  EXPECT_EQ(breach_of({0, 0, kWrongMicroBatch}),
            "took a call out of order (wrong micro-batch in step 0 after 0 of its micro-batches), which is to be "
            "refused, at step 0, micro-batch 1, in accumulate");
  EXPECT_NE(Told().find("accumulate 0.1 given\n"), std::string::npos) << Told();
  breach_of({1, 1, kRepeatedMicroBatch});
  EXPECT_NE(Told().find("accumulate 1.0 given\naccumulate 1.0 given\n"), std::string::npos) << Told();
  breach_of({0, 2, kWrongMicroBatch});
  EXPECT_NE(Told().find("accumulate 0.2 given\n"), std::string::npos) << Told();
}

}  // namespace
}  // namespace zerocts
