#include "conformance/plans/read/orbax/orbax_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/printable.hpp"
#include "conformance/plans/read/stored_tensors.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts::read {

using nlohmann::json;

namespace {

/// Orbax saves no array without elements.
std::vector<int64_t> SizesFrom(JsonFields& fields, const std::string& name) {
  const std::vector<int64_t> sizes = IntegersFrom(fields.Array(name), fields.PathOf(name));
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 1; }))
    throw std::invalid_argument(
        fmt::format("{} is {}: expected sizes of at least 1", fields.PathOf(name), ShapeText(sizes)));
  return sizes;
}

std::string RequirePrintable(const std::string& name, const std::string& path) {
  if (name.empty() || !IsPrintable(name))
    throw std::invalid_argument(fmt::format("{}: expected a printable name, got \"{}\"", path, ShownBytes(name)));
  return name;
}

std::string NameFrom(JsonFields& fields) {
  std::string name;
  for (const json& key : fields.Array("key_metadata"))
    name += (name.empty() ? "" : ".") + JsonFields(key, fields.PathOf("key_metadata")).Text("key");
  return RequirePrintable(name, fields.PathOf("key_metadata"));
}

OrbaxLeaf LeafFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  OrbaxLeaf leaf{.name = NameFrom(fields), .type = ""};
  JsonFields what(fields.Any("value_metadata"), leaf.name);
  leaf.type = what.Text("value_type");
  leaf.is_stored = !what.Bool("skip_deserialize");
  if (what.Has("write_shape") && !what.Any("write_shape").is_null()) leaf.write_shape = SizesFrom(what, "write_shape");
  return leaf;
}

bool BoolOr(JsonFields& fields, const std::string& name, bool otherwise) {
  return fields.Has(name) ? fields.Bool(name) : otherwise;
}

}  // namespace

OrbaxTree OrbaxTreeFrom(std::string_view text) {
  const json value = ParseJson(text, kJsonLimits);
  JsonFields fields(value, "tree");
  OrbaxTree tree;
  const json& leaves = fields.Any("tree_metadata");
  if (!leaves.is_object()) ThrowUnexpected(fields.PathOf("tree_metadata"), "an object", leaves);
  for (const auto& leaf : leaves) tree.leaves.push_back(LeafFrom(leaf, "tree_metadata"));
  std::sort(tree.leaves.begin(), tree.leaves.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(tree.leaves.begin(), tree.leaves.end(),
                                        [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != tree.leaves.end()) throw std::invalid_argument(fmt::format("it has {} twice", twice->name));
  tree.ocdbt = BoolOr(fields, "use_ocdbt", tree.ocdbt);
  tree.zarr3 = BoolOr(fields, "use_zarr3", tree.zarr3);
  tree.stores_all_chunks = BoolOr(fields, "store_array_data_equal_to_fill_value", tree.stores_all_chunks);
  return tree;
}

std::map<std::string, OrbaxShapes> OrbaxShapesFrom(std::string_view text) {
  const json value = ParseJson(text, kJsonLimits);
  JsonFields fields(value, "process");
  std::map<std::string, OrbaxShapes> arrays;
  for (const json& entry : fields.Array("array_metadatas")) {
    JsonFields array(JsonFields(entry, "array_metadatas").Any("array_metadata"), "array_metadata");
    const std::string name = RequirePrintable(array.Text("param_name"), array.PathOf("param_name"));
    const OrbaxShapes shapes{SizesFrom(array, "write_shape"), SizesFrom(array, "chunk_shape")};
    if (!arrays.emplace(name, shapes).second) throw std::invalid_argument(fmt::format("it has {} twice", name));
    if (shapes.write.size() != shapes.chunk.size())
      throw std::invalid_argument(fmt::format("{} is written by blocks of {} and chunks of {}: expected one shape each",
                                              name, ShapeText(shapes.write), ShapeText(shapes.chunk)));
  }
  return arrays;
}

}  // namespace zerocts::read
