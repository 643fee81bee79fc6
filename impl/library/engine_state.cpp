#include "impl/library/engine_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/numerics/bits.hpp"

namespace zerocts::library {
namespace {

/// True on exactly one of the ranks that own an element.
bool SpeaksForItsElements(const engine::EngineSettings& settings, const Communicator::Ends& ends) {
  const zerocts::Mesh mesh = HybridMesh(settings.replicas, ends.rank_settings.world_size / settings.replicas);
  const bool all_own_all = !engine::ShardingOf(settings.stage).optimizer;
  return mesh.Coordinate(ends.rank_settings.rank, "replicate") == 0 &&
         (!all_own_all || mesh.Coordinate(ends.rank_settings.rank, "shard") == 0);
}

std::unique_ptr<engine::Engine> EngineOn(const RunningEngine& running, const Communicator::Ends& ends,
                                         const engine::EngineSettings& settings, const Tensors& initial) {
  std::vector<const float*> pointers;
  for (const auto& values : initial) pointers.push_back(values.data());
  return std::make_unique<engine::Engine>(settings, ends.rank_settings.rank, ends.rank_settings.world_size,
                                          running.groups.groups(), *running.device, pointers);
}

}  // namespace

std::vector<std::string> StateNames(const engine::Engine& engine) {
  std::vector<std::string> names = MomentNames(engine.settings().optimizer.kind);
  names.insert(names.begin(), "master");
  return names;
}

/// Each element is one rank's bits among zeros of the others.
std::vector<float> WholeState(engine::Engine& engine, const Communicator::Ends& ends, const std::string& state,
                              int parameter) {
  std::vector<uint64_t> bits(engine.settings().parameters[parameter].spec.numel());
  const bool speaks = SpeaksForItsElements(engine.settings(), ends);
  for (const engine::ElementRange& range : engine.Owned(parameter)) {
    if (!speaks) break;
    std::vector<float> values(range.end - range.begin);
    engine.ReadState(state, parameter, range, values.data());
    std::ranges::transform(values, bits.begin() + range.begin, [](float value) { return uint64_t{Bits(value)}; });
  }
  engine.SumOverRanks(bits, "a state");
  std::vector<float> whole;
  for (const uint64_t word : bits) whole.push_back(FromBits(static_cast<uint32_t>(word)));
  return whole;
}

void WriteWholeState(engine::Engine& engine, const std::string& state, int parameter,
                     const std::vector<float>& values) {
  for (const engine::ElementRange& range : engine.Owned(parameter)) {
    engine.WriteState(state, parameter, range, values.data() + range.begin);
  }
}

void RequireElements(const char* what, std::span<const engine::EngineParameter> parameters, const Tensors& values,
                     bool may_be_missing) {
  if (values.size() != parameters.size()) {
    throw std::invalid_argument(
        fmt::format("{} of {} parameters: expected {}", what, values.size(), parameters.size()));
  }
  for (size_t p = 0; p < values.size(); ++p) {
    const ParameterSpec& spec = parameters[p].spec;
    if (std::ssize(values[p]) == spec.numel() || (may_be_missing && values[p].empty())) continue;
    throw std::invalid_argument(fmt::format("{} of parameter {} ({}): expected {} elements, got {}", what, p, spec.name,
                                            spec.numel(), values[p].size()));
  }
}

RunningEngine::RunningEngine(Communicator::Ends& ends, const engine::EngineSettings& settings, const Tensors& initial)
    : device(ends.MakeDevice(settings.overlap)),
      groups(engine::MakeMeshGroups(ends.chosen.transport, ends.SettingsOn(*device), settings.replicas)),
      engine(EngineOn(*this, ends, settings, initial)) {}

std::unique_ptr<RunningEngine> Widened(engine::Engine& old, Communicator::Ends& ends,
                                       const engine::EngineSettings& settings, const Tensors& initial) {
  old.RequireBetweenSteps();
  engine::EngineProgress progress = old.Progress();
  const int old_parameters = static_cast<int>(old.settings().parameters.size());

  Tensors masters;
  for (int p = 0; p < old_parameters; ++p) masters.push_back(WholeState(old, ends, "master", p));
  masters.insert(masters.end(), initial.begin(), initial.end());
  auto widened = std::make_unique<RunningEngine>(ends, settings, masters);
  engine::Engine& engine = *widened->engine;

  progress.groups.insert(progress.groups.end(), settings.groups.begin() + std::ssize(progress.groups),
                         settings.groups.end());
  progress.products.resize(settings.parameters.size());  // those that are added have made no step
  progress.frozen.resize(settings.parameters.size());
  engine.Resume(progress);
  for (const std::string& moment : MomentNames(settings.optimizer.kind)) {
    for (int p = 0; p < old_parameters; ++p) {
      WriteWholeState(engine, moment, p, WholeState(old, ends, moment, p));
    }
  }
  return widened;
}

}  // namespace zerocts::library
