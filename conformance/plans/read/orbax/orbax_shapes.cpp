#include "conformance/plans/read/orbax/orbax_shapes.hpp"

#include <fmt/format.h>

#include "conformance/plans/read/stored_tensors.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::read {

int64_t ReplicasOf(const OrbaxSharding& sharding) {
  if (!sharding.mesh) return 1;
  int64_t parts = 1;
  for (size_t d = 0; d < sharding.spec.size(); ++d) parts *= sharding.PartsOf(d);
  return sharding.mesh->mesh.world_size() / parts;
}

std::string ProblemOfBlocks(const OrbaxShapes& shapes, const OrbaxSharding& sharding) {
  if (sharding.spec.size() > shapes.write.size())
    return fmt::format("is written by blocks of {}: expected at least {} dimensions, as its partition_spec has",
                       ShapeText(shapes.write), sharding.spec.size());
  for (size_t d = 0; d < shapes.write.size(); ++d) {
    if (shapes.write[d] % shapes.chunk[d] != 0)
      return fmt::format("is written by blocks of {} in chunks of {}: expected sizes that these divide",
                         ShapeText(shapes.write), ShapeText(shapes.chunk));
  }
  return "";
}

std::string ProblemOfParts(const std::vector<int64_t>& shape, const OrbaxShapes& shapes,
                           const OrbaxSharding& sharding) {
  if (shape.size() != shapes.write.size())
    return fmt::format("is written by blocks of {}: expected as many dimensions", ShapeText(shapes.write));
  int64_t writers = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t parts = sharding.PartsOf(d);
    if (shape[d] % parts != 0)
      return fmt::format("is cut into {} parts along dimension {}: expected a size that they divide", parts, d);
    const int64_t size = shape[d] / parts;
    if (size % shapes.write[d] != 0 || (size != shapes.write[d] && writers > 1))
      return fmt::format(
          "is written by blocks of {}: expected the parts of its sharding, or these cut in one dimension",
          ShapeText(shapes.write));
    writers *= size / shapes.write[d];
  }
  const int64_t replicas = ReplicasOf(sharding);
  if (writers <= replicas) return "";
  return fmt::format("is written by blocks of {}, {} to a part: expected no more than it has replicas, {}",
                     ShapeText(shapes.write), writers, replicas);
}

std::vector<int64_t> LeastShape(const OrbaxShapes& shapes, const OrbaxSharding& sharding) {
  std::vector<int64_t> shape = shapes.write;
  for (size_t d = 0; d < shape.size(); ++d) shape[d] = CheckedProduct(shape[d], sharding.PartsOf(d));
  return shape;
}

}  // namespace zerocts::read
