// Which parameters a random case trains: sizes around the boundaries of equal shards, and degenerate ones.
#pragma once
#include <cstdint>
#include <vector>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/cases/draws/draws.hpp"

namespace zerocts {

/// Parameters p0, p1, .., all in group 0, `least` with elements at least. `size` from 0 to 100 scales the regular ones.
std::vector<ParameterSpec> DrawParameters(ShapeStyle style, int world_size, int size, int least, Draws& draws);

/// Does the subject take parameters of all these shapes?
bool TakesShapes(const Experiment& experiment, const Capabilities& capabilities);

/// Does the subject need something on every rank, and are there fewer pieces of what it cuts than ranks of a sharding
/// group, of this run or of those who load its checkpoint?
bool LeavesTooLittle(const Case& c, const Capabilities& capabilities);

/// A tiny model: what an MLP on text costs is its matrix products, so widths are small and odd.
ModelSpec DrawModel(Draws& draws);
MlpSpec DrawMlp(Draws& draws);

}  // namespace zerocts
