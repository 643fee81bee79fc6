// Cases per second of the whole chain (conductor -> ranks -> engine -> observation -> verdict), and of the reference
// alone, which bounds it.
#include <benchmark/benchmark.h>

#include <memory>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/compare/compare.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {
namespace {

Case TinyCase(int world_size) {
  Case c;
  c.clause = "C-ZERO-050";
  c.experiment.parameters = {{"w0", {7, 5}, 0}, {"b0", {7}, 0}, {"w1", {3, 7}, 0}, {"b1", {3}, 0}};
  c.experiment.world_size = world_size;
  c.experiment.steps = 2;
  c.stage = 1;
  return c;
}

void BM_Reference(benchmark::State& state) {
  const Case c = TinyCase(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ExpectedOf(c, OrderOf(c, {})));
  state.counters["cases"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Reference)->Arg(1)->Arg(4)->UseRealTime();

void BM_Chain(benchmark::State& state, LauncherKind launcher) {
  const Case c = TinyCase(static_cast<int>(state.range(0)));
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  const std::unique_ptr<RankGroup> group =
      std::make_unique<RankGroup>(ResolveSubject("native"), launcher, c.world_size(), settings);
  for (auto _ : state) {
    const RunResult run = group->Run(c);
    if (run.ending != Ending::kObserved) {
      state.SkipWithError(run.message.c_str());
      break;
    }
    const std::optional<Finding> finding = CompareWithReference(c, run.ranks, ExpectedOf(c, OrderOf(c, {})));
    if (finding) {
      state.SkipWithError(finding->sentence.c_str());
      break;
    }
  }
  state.counters["cases"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Chain, threads, LauncherKind::kThreads)->Arg(1)->Arg(4)->UseRealTime();
BENCHMARK_CAPTURE(BM_Chain, local, LauncherKind::kLocal)->Arg(1)->Arg(4)->UseRealTime();

}  // namespace
}  // namespace zerocts
