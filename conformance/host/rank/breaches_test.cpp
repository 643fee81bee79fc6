// What a subject does that zerocts_subject.h forbids is a finding with a name: oversteps.c does one thing at a time.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "conformance/host/rank/case_runner.hpp"
#include "conformance/host/rank/crash_mark.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/rank/thread_store.hpp"

namespace zerocts {
namespace {

/// A sanitizer ends the process in its own way.
bool DiedOfTheWrite(int status) { return ZEROCTS_SANITIZED ? status != 0 : testing::KilledBySignal(SIGSEGV)(status); }

Case SomeCase(Precision precision = Precision::kFp32) {
  Case c;
  c.stage = 0;
  c.experiment.precision = precision;
  c.experiment.parameters = {{"a", {2, 2}, 0}, {"b", {3}, 0}};
  c.experiment.changes = {{1, 0, {.lr = 0.125f}}};
  c.experiment.steps = 2;
  return c;
}

class Breach : public testing::Test {
 protected:
  CaseAnswer Run(const std::string& deed, const Case& c = SomeCase()) {
    store_.BeginCase(++run_);
    return RunCase({*plugin_, plugin_->capabilities(), 0, 1, 1, {{"deed", deed}}, *client_, page_, memory_}, c, run_,
                   4000, "folder");
  }
  void Expect(const std::string& deed, const std::string& sentence, const Case& c = SomeCase()) {
    SCOPED_TRACE(deed);
    const CaseAnswer answer = Run(deed, c);
    const auto* breach = std::get_if<BreachMessage>(&answer);
    ASSERT_NE(breach, nullptr);
    EXPECT_EQ(breach->text, sentence);
  }
  /// The signal ends a child of this process, whose page says what it did.
  void ExpectDeath(const std::string& deed, const std::string& last_position, const Case& c = SomeCase()) {
    SCOPED_TRACE(deed);
    const auto run = [&] {
      NameCrashes();
      Run(deed, c);
    };
    EXPECT_EXIT(run(), DiedOfTheWrite, "");
    EXPECT_EQ(ToString(page_.Read()), last_position);
    page_.Clear();
  }

  const std::string page_file_ = testing::TempDir() + "zerocts-breach-page-" + std::to_string(getpid());
  std::unique_ptr<Plugin> plugin_ = Plugin::Load(std::string(ZEROCTS_TESTDATA_PLUGINS) + "/oversteps.so");
  ThreadStore store_{1};
  std::unique_ptr<StoreClient> client_ = store_.RankEnd(0);
  RankPage page_{page_file_};
  MemoryMeter memory_{1};
  uint64_t run_ = 0;

  void TearDown() override { unlink(page_file_.c_str()); }
};

TEST_F(Breach, NoneWhereNothingIsDone) { EXPECT_TRUE(std::holds_alternative<ObservedMessage>(Run(""))); }

TEST_F(Breach, BesideABlockOfAlloc) {
  const std::string block = "block 2 of alloc (12 bytes of optimizer memory)";
  const std::string more = ", at step 0, in step; 1 more such finding in this case";
  Expect("block_past", "wrote 1 byte past the end of " + block + more);
  Expect("block_before", "wrote 4 bytes before the beginning of " + block + more);
}

TEST_F(Breach, BesideAnOutput) {
  Expect("parameter_past",
         "wrote 1 byte past the end of the room for values of parameter 1 (12 bytes), before the first step, in "
         "read_parameter; "
         "2 more such findings in this case");
  Expect("parameter_before",
         "wrote 1 byte before the beginning of the room for values of parameter 1 (6 bytes), before the first step, in "
         "read_parameter; 2 more such findings in this case",
         SomeCase(Precision::kBf16));
  Expect("state",
         "wrote 3 bytes past the end of the room for master of parameter 0 (16 bytes), before the first step, in "
         "read_state; "
         "5 more such findings in this case");
  Expect("owned",
         "wrote 16 bytes past the end of the room for owned intervals of parameter 0 (128 bytes), before the first "
         "step, in "
         "owned; 1 more such finding in this case");
}

TEST_F(Breach, BehindTheArguments) {
  Expect("norm",
         "wrote 1 byte past the end of the arguments of step (40 bytes, as their struct_size says), at step 0, in "
         "step; 1 more "
         "such finding in this case");
}

TEST_F(Breach, AFreeOfWhatAllocDidNotGive) {
  const std::string at = ", at step 0, in step; 1 more such finding in this case";
  Expect("free_of_malloc", "freed a pointer that alloc did not give" + at);
  Expect("free_of_nothing", "freed a pointer that alloc did not give" + at);
  Expect("free_inside", "freed a pointer 4 bytes into block 2 of alloc (12 bytes of optimizer memory)" + at);
  Expect("free_twice",
         "freed block 3 of alloc (20 bytes of gradient memory), which it had freed before, at step 1, in step; 1 more "
         "such "
         "finding in this case");
}

TEST_F(Breach, WhatCloseLeaves) {
  Expect("leak",
         "left 1 block of alloc, 12 bytes, the first being block 2 of alloc (12 bytes of optimizer memory), at step 1, "
         "in close");
  const CaseAnswer answer = Run("frees_nothing");
  EXPECT_TRUE(std::get<BreachMessage>(answer).text.starts_with("left 3 blocks of alloc, "))
      << std::get<BreachMessage>(answer).text;
}

TEST_F(Breach, ARefusedOpenIsARefusal) {
  for (const char* deed : {"refuses_and_keeps", "refuses_and_leaves_an_engine"}) {
    const CaseAnswer answer = Run(deed);
    const auto* refused = std::get_if<RefusedMessage>(&answer);
    ASSERT_NE(refused, nullptr) << deed;
    EXPECT_EQ(refused->call + ": " + refused->text, "open: not today");
  }
}

TEST_F(Breach, AWriteToWhatIsConstIsNamed) {
  const std::string open = "before the first step, in open; it wrote to ", is_const = ", which it is given const";
  ExpectDeath("initial", open + "the initial values of parameter 1" + is_const);
  ExpectDeath("name", open + "the name of parameter 0" + is_const);
  ExpectDeath("shape", open + "the shape of parameter 1" + is_const);
  ExpectDeath("groups", open + "the table of groups" + is_const);
  ExpectDeath("option", open + "the value of an option" + is_const);
  ExpectDeath("host", open + "the host's table" + is_const);
  const std::string accumulate = "at step 0, micro-batch 0, in accumulate; it wrote to ";
  ExpectDeath("gradient", accumulate + "the gradient of parameter 1" + is_const);
  ExpectDeath("gradient", accumulate + "the gradient of parameter 1" + is_const, SomeCase(Precision::kBf16));
  ExpectDeath("gradients", accumulate + "the list of gradients" + is_const);
  ExpectDeath("group", "at step 1, in set_group; it wrote to the values of set_group" + is_const);
  Case saves = SomeCase();
  saves.checkpoint = {0, CheckpointUse::kSaveOnly};
  ExpectDeath("folder", "at step 0, in save; it wrote to the name of the folder" + is_const, saves);
}

TEST_F(Breach, FarOutOfARoomIsNamed) {
  if (ZEROCTS_SANITIZED) GTEST_SKIP() << "the sanitizer ends the rank before the write happens";
  ExpectDeath(
      "parameter_far_past",
      "before the first step, in read_parameter; it ran far out of the room for values of parameter 1 (12 bytes)");
}

}  // namespace
}  // namespace zerocts
