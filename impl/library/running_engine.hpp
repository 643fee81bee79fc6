// An engine with the device and the groups that it needs, and the same one with more parameters.
#pragma once
#include <memory>
#include <span>

#include "impl/library/whole_state.hpp"
#include "impl/stages/rank/mesh_groups.hpp"

namespace zerocts::library {

/// Throws std::invalid_argument unless there is one vector for each parameter, of all its elements, or, where it may
/// lack, of none.
void RequireElements(const char* what, std::span<const engine::EngineParameter> parameters, const Tensors& values,
                     bool may_lack);

/// Members are destroyed from the last to the first: the engine before the transport that carries it.
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

}  // namespace zerocts::library
