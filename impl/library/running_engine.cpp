#include "impl/library/running_engine.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace zerocts::library {
namespace {

std::unique_ptr<engine::Engine> EngineOn(const RunningEngine& running, const Communicator::Ends& ends,
                                         const engine::EngineSettings& settings, const Tensors& initial) {
  std::vector<const float*> pointers;
  for (const auto& values : initial) pointers.push_back(values.data());
  return std::make_unique<engine::Engine>(settings, ends.place.rank, ends.place.world_size, running.groups.groups(),
                                          *running.device, pointers);
}

}  // namespace

void RequireElements(const char* what, std::span<const engine::EngineParameter> parameters, const Tensors& values,
                     bool may_lack) {
  if (values.size() != parameters.size()) {
    throw std::invalid_argument(
        fmt::format("{} of {} parameters: expected {}", what, values.size(), parameters.size()));
  }
  for (size_t p = 0; p < values.size(); ++p) {
    const ParameterSpec& spec = parameters[p].spec;
    if (std::ssize(values[p]) == spec.numel() || (may_lack && values[p].empty())) continue;
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
