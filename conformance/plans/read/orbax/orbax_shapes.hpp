// Do the blocks that were written fit the sharding of their array?
#pragma once
#include <string>
#include <vector>

#include "conformance/plans/read/orbax/orbax_metadata.hpp"
#include "conformance/plans/read/orbax/orbax_sharding.hpp"

namespace zerocts::read {

/// Devices of the mesh that have the same part of the array.
int64_t ReplicasOf(const OrbaxSharding& sharding);

/// "", or why the blocks do not fit their chunks, or have fewer dimensions than the sharding.
std::string ProblemOfBlocks(const OrbaxShapes& shapes, const OrbaxSharding& sharding);

/// Likewise for an array whose shape is known, and whose blocks have no problem: its parts are what was written, or as
/// many blocks of it as it has replicas at most, cut along one dimension, for orbax lets each replica write a part.
std::string ProblemOfParts(const std::vector<int64_t>& shape, const OrbaxShapes& shapes, const OrbaxSharding& sharding);

/// The shape where nobody says it. With replicas it is the least that it can be.
std::vector<int64_t> LeastShape(const OrbaxShapes& shapes, const OrbaxSharding& sharding);

}  // namespace zerocts::read
