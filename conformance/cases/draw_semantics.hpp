// The switches of a space beyond data, shapes and hyper-parameters. What is switched off, or not declared, takes no
// draw.
#pragma once
#include "conformance/cases/case_space.hpp"
#include "conformance/cases/draws.hpp"

namespace zerocts {

/// Roles of parameters, types of sums, loss scaling with planted overflow. Adds parameters where a role needs one.
void DrawSemantics(const CaseSpace& space, const Capabilities& capabilities, Draws& draws, Experiment& experiment);

/// Replicas, sync, overlap, offload. The stage and the world size are drawn.
void DrawMesh(const CaseSpace& space, const Capabilities& capabilities, Draws& draws, Case& c);

}  // namespace zerocts
