// How jax divided the arrays of an orbax checkpoint: the file `_sharding`. It is JSON: the base64 of an array's name,
// and JSON again as text.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/plan/value/mesh.hpp"

namespace zerocts::read {

/// Devices in the order of the mesh: rank r of the plan is devices[r]. Older releases do not name them.
struct OrbaxMesh {
  Mesh mesh;
  std::vector<int64_t> devices;
  friend bool operator==(const OrbaxMesh&, const OrbaxMesh&) = default;
};

struct OrbaxSharding {
  std::optional<OrbaxMesh> mesh;  // nothing: the array is on one device
  // Per dimension the axes that divide it, the outermost first; dimensions behind the last are whole.
  std::vector<std::vector<std::string>> spec;

  /// Into how many parts dimension d falls.
  int64_t PartsOf(size_t d) const;
};

/// By the name of the array. Throws std::invalid_argument for what is no such file, and for a sharding that contradicts
/// itself: an axis that its mesh does not have or that divides twice, a device that stands in it twice.
std::map<std::string, OrbaxSharding> OrbaxShardingsFrom(std::string_view text);

}  // namespace zerocts::read
