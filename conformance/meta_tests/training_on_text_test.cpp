// The native engine trains a GPT on text: ranks as threads, in every stage, with the bits of the reference after every
// step.
//
// usage: training_on_text_test --device NAME --steps N [GoogleTest's flags]; exit code 77 and a sentence where the
// device is missing
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <iostream>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/compare/compare.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/observation/agreement.hpp"
#include "conformance/check/observation/tiling.hpp"
#include "conformance/host/conductor/group_pool.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/rank/worker.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

struct Asked {
  std::string device = "host";
  int64_t steps = 1;
};
Asked asked;

struct Setup {
  int stage = 0;
  Precision precision = Precision::kFp32;
  int world_size = 1;
};

std::string NameOf(const testing::TestParamInfo<Setup>& info) {
  const Setup& at = info.param;
  return fmt::format("stage_{}_{}_W{}", at.stage, ToString(at.precision), at.world_size);
}

std::vector<Setup> AllSetups() {
  std::vector<Setup> setups;
  for (int stage = 0; stage <= 3; ++stage) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      for (int world_size = 1; world_size <= 4; ++world_size) setups.push_back({stage, precision, world_size});
    }
  }
  return setups;
}

Experiment ExperimentAt(const Setup& at) {
  Experiment e;
  e.model = GptSize("tiny");
  e.parameters = ModelParameters(*e.model);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.precision = at.precision;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups = {{.lr = 0.003f, .weight_decay = 0.01f}, {.lr = 0.003f}};
  e.max_norm = 1.0f;
  e.world_size = at.world_size;
  e.micro_batches = 2;
  e.batch = 2;
  e.steps = asked.steps;
  e.text = DefaultTextPath();
  e.text_hash = TextCorpus::Load(e.text).hash();
  return e;
}

Case CaseAt(const Setup& at) {
  Case c;
  c.clause = "C-ZERO-050";
  c.fidelity = Fidelity::kDeclaredOrder;
  c.experiment = ExperimentAt(at);
  c.stage = at.stage;
  c.reduction_order = "rank";
  c.overlap = at.stage % 2 == 0 ? Overlap::kOn : Overlap::kOff;
  c.observe_gradient = true;
  return c;
}

/// The engine's ranks, W threads of a worker each.
class Ranks {
 public:
  static RunResult Run(const Case& c) {
    static Ranks ranks;
    return ranks.pool_.Acquire(LauncherKind::kThreads, c.world_size())->Run(c);
  }

 private:
  static SubjectSpec Subject() {
    SubjectSpec subject = ResolveSubject("native");
    subject.options = {{"device", asked.device}};
    return subject;
  }
  HostSettings Settings() const {
    HostSettings settings;
    settings.case_deadline = std::chrono::seconds(120);
    settings.session_dir = folder_.path();
    return settings;
  }

  SessionFolder folder_;
  GroupPool pool_{Subject(), Settings()};
};

class TrainingOnText : public testing::TestWithParam<Setup> {};

TEST_P(TrainingOnText, HasTheBitsOfTheReference) {
  const Case c = CaseAt(GetParam());
  const RunResult run = Ranks::Run(c);
  ASSERT_EQ(run.ending, Ending::kObserved) << run.message;
  std::vector<std::vector<std::vector<Interval>>> owned;
  for (const RankObservation& rank : run.ranks) owned.push_back(rank.owned);
  auto finding = CheckTiling(c, run.ranks);
  if (!finding) finding = CompareWithReference(c, run.ranks, ExpectedOf(c, OrderOf(c, owned)));
  if (!finding) finding = CheckAgreement(c, run.ranks);
  if (finding) FAIL() << finding->sentence << "\n" << (finding->divergence ? ToString(*finding->divergence) : "");
}

INSTANTIATE_TEST_SUITE_P(Engine, TrainingOnText, testing::ValuesIn(AllSetups()), NameOf);

/// "" where the engine has the device.
std::string WhyNoDevice() {
  const RunResult run = Ranks::Run(CaseAt({}));
  return run.ending == Ending::kObserved ? "" : run.message;
}

int TestAll(int argc, char** argv) {
  CLI::App program("Trains the native engine on text and compares every step with the reference");
  program.add_option("--device", asked.device, "host, sim or cuda")->required();
  program.add_option("--steps", asked.steps, "of training")->required();
  CLI11_PARSE(program, argc, argv);
  if (const std::string missing = WhyNoDevice(); !missing.empty()) {
    std::cout << "not run: " << missing << "\n";
    return 77;
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  testing::InitGoogleTest(&argc, argv);
  return zerocts::TestAll(argc, argv);
}
