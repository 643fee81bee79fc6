// Every clause against stand-ins for ranks: silent for ranks without a fault, and heard for its own kind of fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/cases/whole/undeclared.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/contract/clause_for_test.hpp"
#include "conformance/contract/trial.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/for_test/run_one_configuration.hpp"
#include "conformance/session/for_test/test_session.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {
namespace {

using Ranks = std::vector<RankObservation>;

/// What ranks show for a case, and, where others load what they saved, what those show.
RunResult Observed(const std::function<Ranks(const Case&)>& subject, const Case& c) {
  RunResult result;
  result.ranks = subject(IsResharded(c) ? SavingRun(c) : c);
  if (IsResharded(c)) result.loading_ranks = subject(LoadingRun(c));
  return result;
}

/// What every rank makes of a damaged checkpoint: the call that it refuses; "": none.
RunResult Refused(const std::vector<std::string>& calls) {
  RunResult result;
  result.ending = Ending::kRefused;
  for (size_t rank = 0; rank < calls.size(); ++rank) {
    if (calls[rank].empty()) result.ending = Ending::kDisagreement;
    const std::string state =
        calls[rank].empty() ? "observed" : "refused " + calls[rank] + " (step 0): INTERNAL: a file is missing";
    result.reports.push_back({static_cast<int>(rank), state, ""});
  }
  return result;
}

/// What every rank makes of a case that goes beyond what it declares.
RunResult RefusedAtOpen(const Case& c) {
  RunResult result = Refused(std::vector<std::string>(static_cast<size_t>(c.world_size()), "open"));
  for (RankReport& rank : result.reports) rank.status = ZEROCTS_UNIMPLEMENTED;
  return result;
}

/// Runs a clause in one configuration. `subject`: what the ranks show for a case. `refused`: what they refuse where it
/// is damaged; where nothing, they take also what they do not declare.
ConfigurationOutcome RunClause(const std::string& clause_id, const std::function<Ranks(const Case&)>& subject,
                               int world_size = 3, int cases = 40,
                               const std::vector<std::string>& refused = {"load", "load", "load"}) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.states.push_back("gradient");
  const Runner runner = [&](const Configuration&, const Case& c) {
    if (refused.empty()) return Observed(subject, c);
    if (!BeyondDeclaration(c, settings.info.capabilities).empty()) return RefusedAtOpen(c);
    return c.checkpoint && c.checkpoint->damage ? Refused(refused) : Observed(subject, c);
  };
  return RunOneConfiguration(clause_id, settings, world_size, cases, runner);
}

/// Each step costs and leaves the same.
Ranks Perfect(const Case& c) {
  Ranks ranks = PerfectObservation(c);
  for (RankObservation& rank : ranks) {
    for (int64_t step = 0; c.observe_resources && step < c.experiment.steps; ++step)
      rank.resources.push_back({.step = step, .call = "step", .cpu_ns = 1000, .files = 3, .threads = 1});
  }
  return ranks;
}

/// What ranks show that train another experiment than the one they were asked for.
Ranks PerfectAtAnother(const Case& c, const std::function<void(Experiment&)>& change) {
  Case other = c;
  change(other.experiment);
  return PerfectObservation(other);
}

std::string SentenceOf(const ConfigurationOutcome& outcome) {
  return outcome.failure ? outcome.failure->finding.sentence : "";
}

bool LooksAtRefusalsOnly(const Clause& clause) { return clause.id == "C-ZERO-088" || clause.id == "C-ZERO-110"; }
bool LooksAtResourcesOnly(const Clause& clause) { return clause.id == "C-ZERO-104" || clause.id == "C-ZERO-105"; }

class EveryClauseRuns : public testing::TestWithParam<Clause> {};

INSTANTIATE_TEST_SUITE_P(Contract, EveryClauseRuns, testing::ValuesIn(AllClauses()),
                         [](const auto& info) { return NameForTest(info.param); });

TEST_P(EveryClauseRuns, SilentlyForRanksWithoutAFault) {
  const bool needs_ranks = FindClauseCheck(GetParam().id).space().split_layers;
  const bool is_large = LooksAtResourcesOnly(GetParam()) || GetParam().id == "C-ZERO-007";
  const int cases = is_large ? 8 : 40;
  for (int world_size : {needs_ranks ? 2 : 1, 3}) {
    const ConfigurationOutcome outcome = RunClause(GetParam().id, Perfect, world_size, cases);
    EXPECT_TRUE(Passes(outcome.result)) << SentenceOf(outcome) << outcome.reason;
    EXPECT_EQ(outcome.random_cases, cases);
  }
}

TEST(UndeclaredIsRefused, FindsRanksThatTakeWhatTheyDoNotDeclare) {
  const ConfigurationOutcome outcome = RunClause("C-ZERO-110", Perfect, 3, 40, {});
  EXPECT_EQ(outcome.result, Result::kFail);
  const std::string sentence = SentenceOf(outcome);
  EXPECT_TRUE(sentence.starts_with("took without a word what it does not declare: 3 tensor ranks for 4 heads"))
      << sentence;
  EXPECT_NE(sentence.find("; the plan a plan of nobody"), sentence.npos) << sentence;
}

TEST_P(EveryClauseRuns, LoudlyWhenARankShowsAnotherBitAfterTheLastStep) {
  const bool looks_at_memory_only = GetParam().id == "C-ZERO-007",
             looks_at_refusals_only = LooksAtRefusalsOnly(GetParam()),
             looks_at_skips_only = GetParam().id == "C-ZERO-043", looks_at_norms_only = GetParam().id == "C-ZERO-122";
  if (looks_at_memory_only || looks_at_refusals_only || looks_at_skips_only || looks_at_norms_only) return;
  if (LooksAtResourcesOnly(GetParam())) return;
  const ConfigurationOutcome outcome = RunClause(GetParam().id, [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    for (TensorRecord& record : ranks.back().tensors) {
      if (record.what != "parameter" || record.step != c.experiment.steps - 1 || record.values.empty()) continue;
      record.values.back() = FromBits(Bits(record.values.back()) ^ 1u);
    }
    return ranks;
  });
  EXPECT_EQ(outcome.result, Result::kFail);
}

/// Ranks that read what they show with subnormals taken for zero.
Ranks Flushed(const Case& c) {
  Ranks ranks = PerfectObservation(c);
  for (RankObservation& rank : ranks) {
    for (TensorRecord& record : rank.tensors) {
      for (float& value : record.values) {
        if (std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.0f, value);
      }
    }
  }
  return ranks;
}

TEST_P(EveryClauseRuns, LoudlyWhenSubnormalsAreFlushedToZero) {
  const bool compares_bits = GetParam().fidelity != Fidelity::kBounded && GetParam().fidelity != Fidelity::kSelfParity;
  const bool looks_at_costs_only = GetParam().id == "C-ZERO-007" || GetParam().family == "cost";
  const bool looks_at_refusals_only = LooksAtRefusalsOnly(GetParam());
  const bool compares_ranks_only = GetParam().id == "C-ZERO-060" || GetParam().id == "C-ZERO-121";
  const bool looks_at_skips_only = GetParam().id == "C-ZERO-043", looks_at_norms_only = GetParam().id == "C-ZERO-122";
  if (!compares_bits || looks_at_costs_only || looks_at_refusals_only || compares_ranks_only || looks_at_skips_only ||
      looks_at_norms_only)
    return;
  EXPECT_EQ(RunClause(GetParam().id, Flushed).result, Result::kFail);
}

TEST(Breach, FailsTheCaseWhateverItsNumbers) { EXPECT_EQ(ResultOf(Ending::kBreach), Result::kFail); }

TEST_P(EveryClauseRuns, LoudlyWhenAnElementHasNoOwner) {
  if (LooksAtRefusalsOnly(GetParam()) || LooksAtResourcesOnly(GetParam())) return;
  const ConfigurationOutcome outcome = RunClause(GetParam().id, [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    for (auto& intervals : ranks.back().owned) intervals.clear();
    return ranks;
  });
  EXPECT_EQ(outcome.result, Result::kFail);
}

TEST(ShardCoverage, SaysThatATailStoodStill) {
  const ConfigurationOutcome outcome = RunClause("C-ZERO-001", [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    for (RankObservation& rank : ranks) {
      for (TensorRecord& record : rank.tensors) {
        if (record.what != "parameter" || record.values.empty()) continue;
        record.values.back() = InitialValuesOf(c.experiment, record.parameter).back();
      }
    }
    return ranks;
  });
  const std::string sentence = SentenceOf(outcome);
  EXPECT_TRUE(sentence.find("did not move") != std::string::npos) << sentence;
}

TEST(StatePartitioned, HearsAFullCopyOnEachRank) {
  const ConfigurationOutcome outcome = RunClause("C-ZERO-007", [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    for (RankObservation& rank : ranks) {
      rank.reported.optimizer_bytes *= 3;
      rank.allocated.optimizer_bytes *= 3;
    }
    return ranks;
  });
  EXPECT_EQ(outcome.result, Result::kFail);
}

TEST(StatePartitioned, HearsAnUnderstatement) {
  const ConfigurationOutcome outcome = RunClause("C-ZERO-007", [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    for (RankObservation& rank : ranks) rank.reported.optimizer_bytes /= 2;
    return ranks;
  });
  EXPECT_EQ(outcome.result, Result::kFail);
}

/// Does the first step move a parameter of the group?
bool Moves(const Case& c, const RankObservation& rank, int group) {
  return std::ranges::any_of(rank.tensors, [&](const TensorRecord& record) {
    return record.what == "parameter" && record.step == 0 && c.experiment.parameters[record.parameter].group == group &&
           record.values != InitialValuesOf(c.experiment, record.parameter);
  });
}

TEST(MissingShard, HearsALoadThatPutsZerosInPlaceOfWhatIsMissing) {
  const ConfigurationOutcome outcome = RunClause("C-ZERO-088",
                                                 [](const Case& c) {
                                                   Ranks ranks = PerfectObservation(c);
                                                   for (TensorRecord& record : ranks.back().tensors) {
                                                     if (IsAfterResume(record.what))
                                                       std::ranges::fill(record.values, 0.0f);
                                                   }
                                                   return ranks;
                                                 },
                                                 3, 40, {});
  EXPECT_EQ(outcome.result, Result::kFail);
  EXPECT_NE(SentenceOf(outcome).find("was loaded: expected an error on every rank"), std::string::npos);
}

TEST(MissingShard, LetsALoadPassThatHasAllThatWasSaved) {
  EXPECT_EQ(RunClause("C-ZERO-088", Perfect, 3, 40, {}).result, Result::kPass);
}

TEST(MissingShard, NamesWhoLoadedWhatAnotherRefused) {
  const auto sentence = [](const std::vector<std::string>& refused) {
    return SentenceOf(RunClause("C-ZERO-088", Perfect, 3, 40, refused));
  };
  EXPECT_NE(sentence({"", "load", ""}).find("was loaded by ranks 0, 2: expected"), std::string::npos);
  EXPECT_NE(sentence({"load", "load", "parameter"}).find("was loaded by rank 2: expected"), std::string::npos);
  EXPECT_EQ(sentence({"open", "open", "open"}).find("was loaded"), std::string::npos);
}

/// C-ZERO-043 in front of ranks that are right but for what `change` makes of each.
ConfigurationOutcome SkipsOf(const std::function<void(RankObservation&)>& change) {
  return RunClause("C-ZERO-043", [&](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    std::ranges::for_each(ranks, change);
    return ranks;
  });
}

TEST(SkipIsObservable, LeavesWrongTensorsAndNormsToOtherClauses) {
  const ConfigurationOutcome outcome = SkipsOf([](RankObservation& rank) {
    for (TensorRecord& record : rank.tensors) {
      for (float& value : record.values) value += 1.0f;
    }
    for (StepScalars& step : rank.scalars) step.grad_norm *= 2;
  });
  EXPECT_EQ(outcome.result, Result::kPass) << SentenceOf(outcome);
}

TEST(SkipIsObservable, HearsASkipThatSaysNothing) {
  const ConfigurationOutcome outcome = SkipsOf([](RankObservation& rank) {
    for (StepScalars& step : rank.scalars) step.skipped = false;
  });
  EXPECT_EQ(outcome.result, Result::kFail);
  EXPECT_NE(SentenceOf(outcome).find("skipped"), std::string::npos) << SentenceOf(outcome);
}

TEST(SkipIsObservable, HearsAStepThatIsSaidToBeSkipped) {
  const ConfigurationOutcome outcome = SkipsOf([](RankObservation& rank) { rank.scalars.back().skipped = true; });
  EXPECT_EQ(outcome.result, Result::kFail);
}

TEST(SkipIsObservable, HearsAnotherScale) {
  const ConfigurationOutcome outcome = SkipsOf([](RankObservation& rank) { rank.scalars.back().loss_scale *= 2; });
  EXPECT_EQ(outcome.result, Result::kFail);
  EXPECT_NE(SentenceOf(outcome).find("loss_scale"), std::string::npos) << SentenceOf(outcome);
}

TEST(Clipping, NamesGroupsThatWereScaledDifferently) {
  // Two groups that both move, clipped to less than 3/4: group 1 as the reference says, group 0 not at all.
  const ConfigurationOutcome outcome = RunClause("C-ZERO-032", [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    if (!FeaturesOf(c).contains("multi_group") || ranks.front().scalars.front().clip_coefficient > 0.75f) return ranks;
    const Ranks unclipped = PerfectAtAnother(c, [](Experiment& e) { e.max_norm = 0; });
    if (!Moves(c, ranks.front(), 0) || !Moves(c, ranks.front(), 1)) return ranks;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      for (size_t i = 0; i < ranks[rank].tensors.size(); ++i) {
        TensorRecord& record = ranks[rank].tensors[i];
        if (c.experiment.parameters[record.parameter].group == 0) record.values = unclipped[rank].tensors[i].values;
      }
    }
    return ranks;
  });
  const std::string sentence = SentenceOf(outcome);
  EXPECT_NE(sentence.find("the first step multiplied the gradients of group 0 by 1, "), std::string::npos) << sentence;
}

TEST(StepCount, NamesTheStepThatTheFirstUpdateWasTakenFor) {
  // The first AdamW update as a dummy step before it leaves it.
  const ConfigurationOutcome outcome = RunClause("C-ZERO-051", [](const Case& c) {
    Ranks ranks = PerfectObservation(c);
    for (TensorRecord& record : ranks.back().tensors) {
      if (record.step != 0 || (record.what != "parameter" && record.what != "master")) continue;
      const HyperParameters& h = c.experiment.groups[c.experiment.parameters[record.parameter].group];
      const std::vector<float> initial = InitialValuesOf(c.experiment, record.parameter);
      const double size = 1 / (1 + h.beta1) * std::sqrt(1 + double{h.beta2});
      for (size_t i = 0; i < record.values.size(); ++i) {
        const double before = initial[record.interval.begin + i],
                     decayed = before * (1 - double{h.lr} * h.weight_decay);
        const double sign = record.values[i] < decayed ? 1 : -1;
        record.values[i] = static_cast<float>(decayed - sign * h.lr * size);
      }
    }
    return ranks;
  });
  const std::string sentence = SentenceOf(outcome);
  EXPECT_NE(sentence.find("as if it were step 2"), std::string::npos) << sentence;
}

TEST(HyperParameters, NameTheMistake) {
  const auto sentence_of = [](const std::function<void(Experiment&)>& mistake) {
    return SentenceOf(RunClause("C-ZERO-052", [&](const Case& c) { return PerfectAtAnother(c, mistake); }));
  };
  const std::string ignored = sentence_of([](Experiment& e) { e.changes.clear(); });
  EXPECT_TRUE(ignored.starts_with("changes of hyper-parameters never took effect")) << ignored;
  const std::string first_group = sentence_of([](Experiment& e) {
    for (ParameterSpec& parameter : e.parameters) parameter.group = 0;
  });
  EXPECT_TRUE(first_group.starts_with("all groups used the hyper-parameters of group 0")) << first_group;
}

}  // namespace
}  // namespace zerocts
