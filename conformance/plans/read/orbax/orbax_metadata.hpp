// What an orbax checkpoint says of its arrays beside how they are divided: `_METADATA` and `array_metadatas/process_N`.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zerocts::read {

/// A leaf of the tree that was saved.
struct OrbaxLeaf {
  std::string name;  // its keys, with points between: the name in the other files
  std::string type;  // "jax.Array", "np.ndarray", "scalar", "string", "None", ..
  bool is_stored = true;
  std::optional<std::vector<int64_t>> write_shape;  // older releases do not say it here
};

struct OrbaxTree {
  std::vector<OrbaxLeaf> leaves;
  bool ocdbt = true;  // all arrays in one data base; false: a folder each, by zarr
  bool zarr3 = false;
  bool stores_all_chunks = true;  // false: chunks that hold nothing but the fill value are left out
};

/// Throws std::invalid_argument.
OrbaxTree OrbaxTreeFrom(std::string_view text);

/// How one process wrote an array: by blocks of `write`, which fall into chunks.
struct OrbaxShapes {
  std::vector<int64_t> write, chunk;
  friend bool operator==(const OrbaxShapes&, const OrbaxShapes&) = default;
};

/// The shapes in process_N, by the name of the array. Throws std::invalid_argument.
std::map<std::string, OrbaxShapes> OrbaxShapesFrom(std::string_view text);

}  // namespace zerocts::read
