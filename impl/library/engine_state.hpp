// What a public Engine is inside.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>
#include <zerocts/library/engine.hpp>

#include "impl/library/ends.hpp"
#include "impl/stages/engine/engine.hpp"
#include "impl/stages/rank/mesh_groups.hpp"

namespace zerocts::library {

using Tensors = std::vector<std::vector<float>>;  // [parameters][numel]

// States of whole parameters, which their owners hold piece by piece.

/// The masters and the moments.
std::vector<std::string> StateNames(const engine::Engine& engine);

/// All elements of a state, on every rank. Collective.
std::vector<float> WholeState(engine::Engine& engine, const Communicator::Ends& ends, const std::string& state,
                              int parameter);

/// Each owner takes its elements.
void WriteWholeState(engine::Engine& engine, const std::string& state, int parameter, const std::vector<float>& values);

/// Throws std::invalid_argument unless there is one vector for each parameter, of all its elements, or, where one may
/// be missing, of none.
void RequireElements(const char* what, std::span<const engine::EngineParameter> parameters, const Tensors& values,
                     bool may_be_missing);

/// An engine with the device and the groups that it needs. Members are destroyed from the last to the first: the engine
/// before the transport that carries it.
struct RunningEngine {
  /// initial: of all elements of all parameters. Collective.
  RunningEngine(Communicator::Ends& ends, const engine::EngineSettings& settings, const Tensors& initial);

  const std::unique_ptr<engine::Device> device;
  const engine::MeshGroups groups;
  const std::unique_ptr<engine::Engine> engine;
};

/// Where `old` stands, with `settings`, which add parameters and groups behind its own. initial: of those that are
/// added. Throws std::invalid_argument inside a step of `old`. Collective.
std::unique_ptr<RunningEngine> Widened(engine::Engine& old, Communicator::Ends& ends,
                                       const engine::EngineSettings& settings, const Tensors& initial);

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
