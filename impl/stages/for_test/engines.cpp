#include "impl/stages/for_test/engines.hpp"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <stdexcept>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/device/for_test/poisoned_memory.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"
#include "reference/numerics/floats_for_test.hpp"

namespace zerocts::engine {
namespace {

constexpr uint32_t kNobody = 0xffff0bad;  // a NaN that is not canonical: no value has it

/// One rank's run; snapshots are shared by all ranks and guarded by `mutex`.
class RankRun {
 public:
  RankRun(const TestRun& run, TestRank& self, std::mutex& mutex, std::vector<Snapshot>& snapshots)
      : run_(run),
        rank_(self.rank),
        mutex_(mutex),
        snapshots_(snapshots),
        device_(run.device == "guarded" ? MakeGuardedDevice(memory_, run.guarded_ops)
                                        : MakeDevice(run.device, memory_, run.device_settings)) {
    CommunicatorSettings settings = self.settings;
    settings.device = device_.get();
    comms_ = MakeRankGroups("threads", settings, run.settings);
    std::vector<const float*> initial;
    for (const auto& values : run.initial) initial.push_back(values.data());
    engine_ = std::make_unique<Engine>(run.settings, self.rank, run.world_size, comms_.dense.groups(), *device_,
                                       initial, comms_.of_expert());
  }

  void Train() {
    if (run_.resume) run_.resume(*engine_);
    for (int64_t step = run_.first_step; step < run_.first_step + run_.steps; ++step) {
      run_.before_micro_batches(*engine_, step);
      for (int k = 0; k < run_.settings.micro_batches; ++k) Feed(step, k);
      run_.before_step(*engine_, step);
      Observe(step, engine_->Step(step));
    }
  }

 private:
  /// Not another expert's.
  bool IsHere(int p) const {
    const int expert = run_.settings.parameters[p].expert;
    return expert < 0 || expert == rank_ % run_.settings.experts;
  }

  void Feed(int64_t step, int k) {
    const int64_t g = int64_t{rank_ / run_.settings.tensor} * run_.settings.micro_batches + k;
    if (run_.settings.model) return FeedTokens(step, g, k);
    Tensors wide;
    std::vector<std::vector<Bf16>> narrow;
    for (size_t p = 0; p < run_.settings.parameters.size(); ++p) {
      wide.emplace_back();
      narrow.emplace_back();
      for (int64_t i = 0; i < run_.settings.parameters[p].spec.numel(); ++i) {
        wide.back().push_back(run_.gradient(step, g, p, i));
        narrow.back().push_back(ToBf16(wide.back().back()));
      }
    }
    std::vector<const void*> gradients;
    for (size_t p = 0; p < wide.size(); ++p) {
      const bool bf16 = run_.settings.parameters[p].precision == Precision::kBf16;
      gradients.push_back(bf16 ? static_cast<const void*>(narrow[p].data()) : wide[p].data());
      if (!IsHere(static_cast<int>(p)) || !run_.has_gradient(step, g, static_cast<int>(p))) gradients.back() = nullptr;
    }
    engine_->Accumulate(step, k, gradients);
  }

  void FeedTokens(int64_t step, int64_t g, int k) {
    const Batch batch = run_.tokens ? run_.tokens(step, g) : DrawnTokens(step, g);
    engine_->ForwardBackward(step, k, batch.inputs.data(), batch.targets.data(), run_.batch,
                             ContextOf(*run_.settings.model));
  }

  Batch DrawnTokens(int64_t step, int64_t g) const {
    const ModelSpec& model = *run_.settings.model;
    const auto tokens = [&](uint64_t purpose, int64_t count) {
      std::vector<int32_t> drawn;
      const auto stream = Stream({purpose, static_cast<uint64_t>(step), static_cast<uint64_t>(g)});
      for (int64_t i = 0; i < count; ++i) {
        drawn.push_back(static_cast<int32_t>(RandomBelow(1, stream, static_cast<uint64_t>(i), VocabOf(model))));
      }
      return drawn;
    };
    return {tokens(1, run_.batch * ContextOf(model)), tokens(2, run_.batch * TargetsPerSequence(model))};
  }

  std::vector<float> ReadParameter(int p) {
    const int64_t numel = run_.settings.parameters[p].spec.numel();
    std::vector<float> values(numel);
    if (run_.settings.parameters[p].precision == Precision::kFp32) {
      engine_->ReadParameter(p, values.data(), numel * 4);
      return values;
    }
    std::vector<Bf16> narrow(numel);
    engine_->ReadParameter(p, narrow.data(), numel * 2);
    for (int64_t i = 0; i < numel; ++i) values[i] = ToFloat(narrow[i]);
    return values;
  }

  void Observe(int64_t step, const StepResult& result) {
    std::vector<std::string> states = MomentNames(run_.settings.optimizer.kind);
    states.insert(states.end(), {"master", "gradient"});

    Snapshot mine;
    Tensors parameters;
    mine.grad_norm = CanonicalBits(result.grad_norm);
    mine.clip_coefficient = CanonicalBits(result.clip_coefficient);
    mine.loss_scale = CanonicalBits(result.loss_scale);
    mine.skipped = result.skipped;
    for (size_t p = 0; p < run_.settings.parameters.size(); ++p) {
      parameters.push_back(IsHere(static_cast<int>(p)) ? ReadParameter(p) : std::vector<float>());
      for (const std::string& state : states) {
        auto& bits = mine.states[state].emplace_back(run_.settings.parameters[p].spec.numel(), kNobody);
        for (const ElementRange& range : engine_->Owned(p)) {
          std::vector<float> values(range.end - range.begin);
          engine_->ReadState(state, p, range, values.data());
          for (int64_t i = range.begin; i < range.end; ++i) bits[i] = CanonicalBits(values[i - range.begin]);
        }
      }
    }
    mine.parameters = BitsOf(parameters);

    const std::lock_guard lock(mutex_);
    Merge(snapshots_[step - run_.first_step], mine);
  }

  void Merge(Snapshot& all, const Snapshot& mine) const {
    if (all.states.empty()) {
      all = mine;
      return;
    }
    if (all.grad_norm != mine.grad_norm || all.clip_coefficient != mine.clip_coefficient ||
        all.skipped != mine.skipped || all.loss_scale != mine.loss_scale) {
      throw std::runtime_error(fmt::format("rank {} disagrees with the others", rank_));
    }
    for (size_t p = 0; p < mine.parameters.size(); ++p) {
      std::vector<uint32_t>& of_all = all.parameters[p];
      if (of_all.empty()) of_all = mine.parameters[p];
      if (!mine.parameters[p].empty() && of_all != mine.parameters[p]) {
        throw std::runtime_error(fmt::format("rank {} has another parameter {} than the others", rank_, p));
      }
    }
    for (auto& [state, tensors] : all.states) {
      const auto& mine_of_state = mine.states.at(state);
      for (size_t p = 0; p < tensors.size(); ++p) MergeOwned(state, tensors[p], mine_of_state[p]);
    }
  }

  void MergeOwned(const std::string& state, std::vector<uint32_t>& all, const std::vector<uint32_t>& mine) const {
    const bool one_owner = run_.settings.stage > 0 && run_.settings.replicas * run_.settings.tensor == 1;
    for (size_t i = 0; i < all.size(); ++i) {
      if (mine[i] == kNobody) continue;
      if (all[i] != kNobody && one_owner) throw std::runtime_error("an element has two owners");
      if (all[i] != kNobody && all[i] != mine[i])
        throw std::runtime_error(fmt::format("owners disagree about {}", state));
      all[i] = mine[i];
    }
  }

  const TestRun& run_;
  const int rank_;
  std::mutex& mutex_;
  std::vector<Snapshot>& snapshots_;
  PoisonedMemory memory_;
  std::unique_ptr<Device> device_;
  RankGroups comms_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace

std::vector<std::vector<uint32_t>> BitsOf(const Tensors& tensors) {
  std::vector<std::vector<uint32_t>> bits;
  for (const auto& tensor : tensors) bits.push_back(CanonicalBitsOf(tensor));
  return bits;
}

std::vector<Snapshot> RunSteps(const TestRun& asked) {
  TestRun run = asked;
  if (!run.own_precisions) {
    for (EngineParameter& parameter : run.settings.parameters) parameter.precision = run.settings.precision;
  }
  std::mutex mutex;
  std::vector<Snapshot> snapshots(run.steps);
  const auto sentences = RunOnThreads(run.world_size, std::chrono::seconds(20),
                                      [&](TestRank& self) { RankRun(run, self, mutex, snapshots).Train(); });
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) throw std::runtime_error(sentence);
  }
  for (const Snapshot& snapshot : snapshots) {
    for (const auto& [state, tensors] : snapshot.states) {
      for (size_t p = 0; p < tensors.size(); ++p) {
        if (!run.settings.parameters[p].has_storage()) continue;
        for (uint32_t bits : tensors[p]) {
          if (bits == kNobody) throw std::runtime_error(fmt::format("an element of {} has no owner", state));
        }
      }
    }
  }
  return snapshots;
}

std::string FirstDifference(const std::vector<Snapshot>& expected, const std::vector<Snapshot>& got) {
  for (size_t step = 0; step < expected.size(); ++step) {
    const Snapshot &e = expected[step], &g = got[step];
    const auto scalar = [&](const char* name, uint32_t a, uint32_t b) {
      return a == b ? "" : fmt::format("step {}: {} is {} instead of {}", step, name, FromBits(b), FromBits(a));
    };
    const auto tensors = [&](const std::string& name, const auto& a, const auto& b) -> std::string {
      for (size_t p = 0; p < a.size(); ++p) {
        if (a[p] == b[p]) continue;
        for (size_t i = 0; i < a[p].size(); ++i) {
          const std::string difference = scalar(fmt::format("{} {}[{}]", name, p, i).c_str(), a[p][i], b[p][i]);
          if (!difference.empty()) return difference;
        }
      }
      return "";
    };
    std::vector<std::string> differences = {scalar("loss scale", e.loss_scale, g.loss_scale)};
    differences.push_back(tensors("gradient", e.states.at("gradient"), g.states.at("gradient")));
    differences.push_back(scalar("norm", e.grad_norm, g.grad_norm));
    differences.push_back(scalar("coefficient", e.clip_coefficient, g.clip_coefficient));
    for (const auto& [name, state] : e.states) differences.push_back(tensors(name, state, g.states.at(name)));
    differences.push_back(tensors("parameter", e.parameters, g.parameters));
    if (e.skipped != g.skipped) differences.push_back(fmt::format("step {}: skipped is {}", step, g.skipped));
    for (const std::string& difference : differences) {
      if (!difference.empty()) return difference;
    }
  }
  return "";
}

std::string Where(const TestRun& run) {
  const EngineSettings& s = run.settings;
  return fmt::format(
      "W={} ({} replicas, {} tensor ranks) K={} {} {} {} stage {} {} cap {} overlap {} offload {} {} seed {}",
      run.world_size, s.replicas, s.tensor, s.micro_batches,
      s.gradient_sync == GradientSync::kEveryMicroBatch ? "every_micro_batch" : "last_micro_batch", s.reduction_order,
      ToString(s.precision), s.stage, s.plan, s.bucket_cap_bytes, s.overlap, static_cast<int>(s.offload), run.device,
      run.device_settings.seed);
}

EngineSettings SettingsFor(const std::vector<int64_t>& numel) {
  EngineSettings settings;
  settings.groups = {HyperParameters{}};
  for (size_t p = 0; p < numel.size(); ++p)
    settings.parameters.push_back({.spec = {fmt::format("p{}", p), {numel[p]}, 0}});
  return settings;
}

void CutIntoMatrices(EngineSettings& settings) {
  for (EngineParameter& parameter : settings.parameters) {
    const int64_t numel = parameter.spec.numel(), rows = numel % 3 == 0 ? 3 : numel % 2 == 0 ? 2 : 1;
    parameter.spec.shape = {rows, numel / rows};
  }
}

}  // namespace zerocts::engine
