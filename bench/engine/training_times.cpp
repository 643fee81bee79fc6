#include "bench/engine/training_times.hpp"

#include "bench/engine/engine_rank.hpp"
#include "bench/timing/timing.hpp"

namespace zerocts {
namespace {

constexpr int kSeveral = 2;  // ranks are timed by the wall clock, see timing.hpp

nlohmann::json TrainOneRank(const std::string& transport, const Workload& workload, int64_t steps,
                            engine::TestRank& self) {
  const engine::EngineSettings settings = SettingsOf(workload);
  const TensorValues values(settings, 1);
  EngineRank rank(transport, self, workload, settings, values.initial());
  nlohmann::json series;
  for (int64_t step = 0; step <= steps; ++step) {
    const int64_t data_ranks = self.settings.world_size / workload.tensor;
    const int64_t g = step * data_ranks + self.rank / workload.tensor;
    const TokenBatch tokens = TokensOf(workload, static_cast<uint64_t>(g));
    rank.engine().timeline().Take();
    rank.Barrier("step");
    const double seconds = SecondsOf(kSeveral, [&] {
      rank.engine().ForwardBackward(step, 0, tokens.inputs.data(), tokens.targets.data(), workload.batch,
                                    ContextOf(*settings.model));
      rank.engine().Step(step);
    });
    if (step == 0) continue;
    const StepParts parts = PartsOf(rank.engine().timeline().Take(), seconds);
    series["seconds"].push_back(seconds);
    series["parts"].push_back({parts.forward, parts.backward, parts.communication, parts.rest, parts.hidden});
  }
  return series;
}

}  // namespace

TrainingTimes MeasureTraining(const std::string& transport, const Workload& workload, int ranks, int64_t steps) {
  const auto results =
      OnRanks(transport, ranks, [&](engine::TestRank& self) { return TrainOneRank(transport, workload, steps, self); });
  TrainingTimes times;
  times.seconds = SlowestRank(results, "seconds");
  for (const nlohmann::json& p : results.front().at("parts")) times.parts.push_back({p[0], p[1], p[2], p[3], p[4]});
  return times;
}

}  // namespace zerocts
