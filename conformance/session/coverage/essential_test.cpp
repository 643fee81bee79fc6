// Which clauses cannot be asked of a subject that lacks one thing: each is taken away alone.
#include "conformance/session/coverage/essential.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "conformance/contract/judge.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/left_out.hpp"
#include "conformance/session/for_test/test_session.hpp"

namespace zerocts {
namespace {

using Ids = std::set<std::string>;

SessionSettings SettingsFor(const Capabilities& can) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities = can;
  settings.world_sizes = {1, 2, 4};
  return settings;
}

/// "002" of every clause that no configuration can ask.
Ids NotApplicableTo(const SessionSettings& settings) {
  Ids ids;
  for (const Clause& clause : AllClauses()) {
    const CaseSpace space = FindClauseCheck(clause.id).space();
    const bool asked = std::ranges::any_of(ConfigurationsOf(settings), [&](const Configuration& configuration) {
      return MissingForClause(clause, space, configuration, settings).text.empty();
    });
    if (!asked) ids.insert(clause.id.substr(clause.id.size() - 3));
  }
  return ids;
}

struct Loss {
  std::string what;  // the subject cannot do
  std::function<void(Capabilities&)> take;
  Ids not_applicable;
};

Loss Flag(const std::string& what, bool Capabilities::*flag, Ids ids) {
  return {what, [flag](Capabilities& can) { can.*flag = false; }, std::move(ids)};
}

template <typename Item>
Loss Entry(const std::string& what, std::vector<Item> Capabilities::*list, Item item, Ids ids) {
  return {what, [=](Capabilities& can) { std::erase(can.*list, item); }, std::move(ids)};
}

std::vector<Loss> Losses() {
  using C = Capabilities;
  return {
      Entry("stage 3", &C::stages, 3, {"073"}),
      Entry("bf16", &C::param_dtypes, Precision::kBf16, {"024", "056"}),
      Entry("adamw", &C::optimizers, OptimizerKind::kAdamW, {"051"}),
      Entry("lamb", &C::optimizers, OptimizerKind::kLamb, {}),
      Entry("muon", &C::optimizers, OptimizerKind::kMuon, {}),
      {"lamb and muon",
       [](C& can) {
         can.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
       },
       {"055"}},
      Flag("bucket_cap_bytes", &C::bucket_cap_bytes, {}),
      Flag("clip", &C::clip, {"030", "031", "032", "033", "034", "035", "122", "123"}),
      Flag("accumulation", &C::accumulation, {"020", "021", "022", "059", "101"}),
      Flag("groups", &C::groups, {"053", "058", "102", "120", "121", "122", "123", "124", "125", "126", "127"}),
      Flag("set_group", &C::set_group, {"052"}),
      Flag("replicas", &C::replicas, {"002", "016"}),
      Entry("gradient_sync every_micro_batch", &C::gradient_sync, GradientSync::kEveryMicroBatch, {"022"}),
      Entry("accumulation_dtypes bf16", &C::accumulation_dtypes, Precision::kBf16, {}),
      Entry("reduce_dtypes bf16", &C::reduce_dtypes, Precision::kBf16, {"023"}),
      {"loss_scaling", [](C& can) { can.loss_scaling.clear(); }, {"034", "035", "040", "041", "042", "043"}},
      Entry("loss_scaling dynamic", &C::loss_scaling, LossScaleKind::kDynamic, {"042"}),
      Flag("frozen", &C::frozen, {"054"}),
      Flag("experts", &C::experts, {"015"}),
      Flag("expert_replicas", &C::expert_replicas, {}),
      Entry("expert_divisors group", &C::expert_divisors, ExpertDivisor::kGroup, {}),
      Flag("missing_gradients", &C::missing_gradients, {"013"}),
      Flag("tied", &C::tied, {"017"}),
      Flag("buffers", &C::buffers, {"064"}),
      Flag("mixed_dtypes", &C::mixed_dtypes, {"024"}),
      Flag("sgd_variants", &C::sgd_variants, {}),
      {"offload", [](C& can) { can.offload = {Offload::kNone}; }, {"073"}},
      Flag("overlap", &C::overlap, {"070", "102"}),
      Flag("timeline", &C::timeline, {"102"}),
      Flag("events", &C::events, {"102"}),
      Flag("traffic", &C::traffic, {"100", "101"}),
      Flag("memory_estimate", &C::memory_estimate, {"103"}),
      Entry("losses quadratic", &C::losses, LossShape::kQuadratic, {}),
      {"tensor ranks",
       [](C& can) { can.tensor_parallel = {1}; },
       {"120", "121", "122", "123", "124", "125", "126", "127"}},
      Flag("checkpoint_in_window", &C::checkpoint_in_window, {}),
      Flag("goes_on_after_refusal", &C::goes_on_after_refusal, {}),
      {"checkpoints of split layers", [](C& can) { can.checkpoint_tensor = false; }, {"127"}},
      {"a split vocabulary", [](C& can) { can.vocab_parallel = false; }, {"125"}},
      {"a split sequence", [](C& can) { can.sequence_parallel = false; }, {"126"}},
      Flag("checkpoint", &C::checkpoint, {"080", "081", "083", "084", "087", "088", "090", "127"}),
      Flag("checkpoint_reshard", &C::checkpoint_reshard, {"081", "127"}),
      {"the models",
       [](C& can) { can.models.clear(); },
       {"058", "102", "120", "121", "122", "123", "124", "125", "126", "127"}},
      {"several ranks", [](C& can) { can.max_world_size = 1; }, {"001", "002", "003", "005", "007", "015", "016", "030",
                                                                 "040", "059", "060", "072", "081", "100", "101", "120",
                                                                 "121", "122", "123", "124", "125", "126", "127"}},
  };
}

TEST(Essential, NothingIsMissingOfASubjectThatCanDoEverything) {
  EXPECT_EQ(NotApplicableTo(SettingsFor(AbleToDoAnything())), Ids());
}

TEST(Essential, WhatASubjectCannotDoTakesJustTheClausesThatAreAboutIt) {
  for (const Loss& loss : Losses()) {
    Capabilities can = AbleToDoAnything();
    loss.take(can);
    EXPECT_EQ(NotApplicableTo(SettingsFor(can)), loss.not_applicable) << "without " << loss.what;
  }
}

TEST(MissingForClause, RanksOfOneInterpreterShowNoFiguresOfAProcess) {
  SessionSettings settings = SettingsFor(TestSettings().info.capabilities);
  settings.launchers = {LauncherKind::kThreads};
  const Ids of_a_plugin = NotApplicableTo(settings);
  settings.subject.framework = "torch";
  Ids more = NotApplicableTo(settings);
  std::erase_if(more, [&](const std::string& id) { return of_a_plugin.contains(id); });
  EXPECT_EQ(more, (Ids{"104", "105"}));
  EXPECT_EQ(LeftOutBy(FindClause("C-ZERO-104"), FindClauseCheck("C-ZERO-104").space(), settings),
            "left out by --launcher threads");
  settings.launchers = {LauncherKind::kLocal};
  EXPECT_EQ(NotApplicableTo(settings), of_a_plugin);
}

}  // namespace
}  // namespace zerocts
