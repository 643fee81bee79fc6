// How a case ends whose ranks speak the protocol themselves, and speak it wrongly. Part of the endings test, whose main
// is also the worker.
#include <gtest/gtest.h>

#include <utility>

#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/host/conductor/endings_for_test.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

class Protocols : public Endings {};
INSTANTIATE_TEST_SUITE_P(, Protocols, testing::Values(LauncherKind::kLocal, LauncherKind::kMpirun),
                         [](const auto& info) { return ToString(info.param); });

TEST_P(Protocols, Endings) {
  const std::vector<std::pair<std::string, ExpectedEnding>> behaviours = {
      {"good", {Ending::kObserved, "", false}},
      {"garbage", {Ending::kGarbage, "rank 1 sent what the protocol does not know: expected a JSON object as header"}},
      {"half", {Ending::kGarbage, "observed: expected 4 frames, got 1"}},
      {"exit", {Ending::kEarlyExit, "rank 1 exited with 0"}},
      {"crash", {Ending::kCrash, "rank 1 was killed by signal 11 (SIGSEGV)"}},
      {"hang", {Ending::kHang, "rank 1 did not answer before the deadline"}},
      {"refuse_one",
       {Ending::kDisagreement, "rank 1 refused open: UNIMPLEMENTED: not today, rank 0 observed, rank 2 observed"}},
      {"wrong_hash", {Ending::kDisagreement, "rank 1 was fed other inputs than the case says"}},
      {"wrong_rank", {Ending::kGarbage, "observed: expected rank 1, got 0"}},
      {"wrong_run", {Ending::kGarbage, "expected a message of run 1, got one of run 2"}},
      {"started", {Ending::kGarbage, "expected a message of a rank, got the type \"started\""}},
      {"ended", {Ending::kGarbage, "expected a message of a rank, got the type \"ended\""}},
      {"impostor", {Ending::kObserved, "", false}},
  };
  for (const auto& [behaviour, expected] : behaviours) {
    SCOPED_TRACE(behaviour);
    Expect(Run(FakeRank(behaviour)), expected);
  }
}

TEST_P(Protocols, InputsAreShippedToThoseThatWantThem) {
  Case c = TinyCase();
  c.experiment.micro_batches = 2;
  c.experiment.roles.missing = {{1, 0, 3}};  // of rank 1
  const RunResult result = Run(FakeRank("shipped"), c);
  ASSERT_EQ(result.ending, Ending::kObserved) << result.message;
  for (const RankObservation& o : result.ranks) EXPECT_EQ(o.input_hash, InputHash(c, o.rank));
}

TEST_P(Protocols, WhoWantsInputsGetsNoCaseBeyondItsCapabilities) {
  Case c = TinyCase();
  c.stage = 2;
  Expect(Run(FakeRank("shipped"), c),
         {Ending::kUnsupported, "the subject does not declare what the case needs: stage 2 (declared: 1)", false});
}

TEST_P(Protocols, NoRankSaysThatWhatItDeclaresIsUnsupported) {
  Case c = TinyCase();
  c.experiment.micro_batches = 2;
  Expect(Run(FakeRank("unsupported"), c),
         {Ending::kRefused,
          " refused what it declares: I do not like it; expected a result, or capabilities without one of what "
          "the case needs: stages, param_dtypes, optimizers, world_sizes, accumulation",
          false});
  c.stage = 2;
  Expect(group_->Run(c), {Ending::kUnsupported, "I do not like it", false});
}

TEST_P(Protocols, ValuesMustFitTheirHash) {
  Case c = TinyCase();
  c.experiment.parameters = {{"large", {300, 1000}, 0}};
  Expect(Run(FakeRank("lies_about_values"), c),
         {Ending::kGarbage, "sent other values than those whose hash it had sent"});
}

TEST_P(Protocols, AnotherVersionDoesNotStart) {
  try {
    Run(FakeRank("old_protocol"));
    FAIL() << "started";
  } catch (const HarnessError& error) {
    EXPECT_NE(std::string(error.what()).find("expected protocol version 1, got 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace zerocts
