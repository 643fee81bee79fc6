// What one rank holds between steps and moves in one step: each figure beside the paper's formula, which
// impl/layout/plan_costs.hpp writes out for a layout, padding by name.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "impl/stages/engine/engine.hpp"

namespace zerocts {

struct ComparedFigure {
  std::string what;
  int64_t formula = 0, padding = 0;  // expected: their sum
  int64_t counted = 0;
  bool equal() const { return formula + padding == counted; }
};

/// Held by this rank, by kind, as its ledger says. Gradients are held in fp32. Buffers are not in the paper: they are
/// compared with the estimate that is made before anything is allocated.
std::vector<ComparedFigure> CompareHeld(const engine::EngineSettings& settings, const engine::Layout& layout, int rank,
                                        const engine::MemoryLedger& held);

/// Moved by this rank in one step of one micro-batch, as its communicator counted. For a stage-3 engine that computes
/// its gradients, or any other one.
std::vector<ComparedFigure> CompareMoved(const engine::EngineSettings& settings, const engine::Layout& layout, int rank,
                                         const engine::Traffic& moved);

engine::Traffic Difference(const engine::Traffic& after, const engine::Traffic& before);

}  // namespace zerocts
