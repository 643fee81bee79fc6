// Which parameters a random case trains: sizes around the boundaries of equal shards, and degenerate ones.
#pragma once
#include <cstdint>
#include <vector>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/cases/draws/draws.hpp"

namespace zerocts {

/// Parameters p0, p1, .., all in group 0. `size` from 0 to 100 scales the regular ones.
std::vector<ParameterSpec> DrawParameters(ShapeStyle style, int world_size, int size, Draws& draws);

/// Does the subject take parameters of all these shapes?
bool TakesShapes(const Experiment& experiment, const Capabilities& capabilities);

/// A tiny model: what an MLP on text costs is its matrix products, so widths are small and odd.
ModelSpec DrawModel(Draws& draws);
MlpSpec DrawMlp(Draws& draws);

}  // namespace zerocts
