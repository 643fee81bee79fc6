// Settings to an engine: what this build has, and what it refuses.
#include <fmt/format.h>

#include "impl/layout/unimplemented.hpp"
#include "impl/stages/engine.hpp"
#include "impl/stages/strategy.hpp"

namespace zerocts {

void RequireServed(const EngineSettings& settings) {
  RequireStage(settings.stage);
  MakeLayout(settings.plan, {}, 1);  // throws for an unknown plan
  if (settings.reduction_order != "rank" && settings.reduction_order != "ring") {
    throw Unimplemented(
        fmt::format("reduction order {} is not in this build, which has: rank, ring", settings.reduction_order));
  }
}

std::unique_ptr<Engine> MakeEngine(const EngineSettings& settings, Communicator& comm, Device& device,
                                   const std::vector<const float*>& initial) {
  RequireServed(settings);
  return std::make_unique<Engine>(settings, settings.stage == 0 ? MakeStage0() : MakeStage1(), comm, device, initial);
}

}  // namespace zerocts
