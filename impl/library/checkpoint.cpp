// An engine's state as a value, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "impl/library/engine_state.hpp"
#include "impl/library/inner_settings.hpp"

namespace zerocts::library {
namespace {

engine::EngineProgress ProgressOf(const Checkpoint& checkpoint, const engine::Engine& engine) {
  engine::EngineProgress progress = engine.Progress();
  progress.steps = checkpoint.steps;
  progress.groups = Inner(checkpoint.groups);
  progress.products.clear();
  progress.frozen.clear();
  for (const auto& [beta1, beta2, steps, momentum_steps, frozen] : checkpoint.parameters) {
    progress.products.push_back({beta1, beta2, steps, momentum_steps});
    progress.frozen.push_back(frozen);
  }
  return progress;
}

void RequireStates(const Checkpoint& checkpoint, const engine::Engine& engine) {
  for (const std::string& state : StateNames(engine)) {
    const auto found = checkpoint.states.find(state);
    if (found == checkpoint.states.end()) {
      throw std::invalid_argument(
          fmt::format("the checkpoint has no state {}: expected {}", state, fmt::join(StateNames(engine), ", ")));
    }
    RequireElements(state.c_str(), engine.settings().parameters, found->second, false);
  }
}

}  // namespace

Checkpoint Engine::Save() const {
  engine::Engine& engine = state_->engine();
  engine.RequireBetweenSteps();
  const engine::EngineProgress progress = engine.Progress();
  Checkpoint checkpoint;
  checkpoint.steps = progress.steps;
  for (const zerocts::HyperParameters& group : progress.groups) checkpoint.groups.push_back(Outer(group));
  for (size_t p = 0; p < progress.products.size(); ++p) {
    const BetaProducts& products = progress.products[p];
    checkpoint.parameters.push_back(
        {products.beta1, products.beta2, products.steps, products.momentum_steps, progress.frozen[p]});
  }
  for (const std::string& state : StateNames(engine)) {
    Tensors& whole = checkpoint.states[state];
    for (int p = 0; p < std::ssize(progress.products); ++p) {
      whole.push_back(WholeState(engine, *state_->ends, state, p));
    }
  }
  return checkpoint;
}

void Engine::Resume(const Checkpoint& checkpoint) {
  engine::Engine& engine = state_->engine();
  RequireStates(checkpoint, engine);
  engine.Resume(ProgressOf(checkpoint, engine));
  for (const std::string& state : StateNames(engine)) {
    const Tensors& whole = checkpoint.states.at(state);
    for (int p = 0; p < std::ssize(whole); ++p) WriteWholeState(engine, state, p, whole[p]);
  }
  engine.AllGatherResumed();
  state_->step = checkpoint.steps;
}

}  // namespace zerocts::library
