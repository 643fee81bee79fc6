// What a public Engine is inside.
#pragma once
#include <zerocts/library/engine.hpp>

#include "impl/library/running_engine.hpp"

namespace zerocts::library {

struct Engine::State {
  /// Collective.
  State(const Communicator& communicator, const EngineSettings& settings, const Tensors& initial);

  void Accumulate(const std::vector<const void*>& gradients);
  engine::Engine& engine() const { return *running->engine; }

  engine::EngineSettings inner;
  const std::shared_ptr<Communicator::Ends> ends;
  std::unique_ptr<RunningEngine> running;
  int64_t step = 0, micro_batch = 0;
  Tensors gathered;
};

}  // namespace zerocts::library
