#include "conformance/plans/read/orbax/orbax_sharding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/orbax/base64.hpp"
#include "conformance/plans/read/printable.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/shown_bytes.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::read {

using nlohmann::json;

namespace {

constexpr size_t kMostDimensions = 16;

std::string NameFrom(const std::string& base64) {
  const std::string name = FromBase64(base64);
  if (name.empty() || !IsPrintable(name))
    throw std::invalid_argument(
        fmt::format("expected the base64 of a printable name, got that of \"{}\"", ShownBytes(name)));
  return name;
}

std::string AxisFrom(const json& value, const std::string& path) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty() ||
      !IsPrintable(value.get_ref<const std::string&>()))
    ThrowUnexpected(path, "the name of an axis", value);
  return value.get<std::string>();
}

std::vector<std::string> AxesFrom(const json& array, const std::string& path) {
  std::vector<std::string> axes;
  for (const json& value : array) axes.push_back(AxisFrom(value, path));
  return axes;
}

Mesh MeshFrom(JsonFields& fields) {
  Mesh mesh;
  const std::vector<std::string> axes = AxesFrom(fields.Array("axis_names"), fields.PathOf("axis_names"));
  const std::vector<int64_t> sizes = IntegersFrom(fields.Array("shape"), fields.PathOf("shape"));
  if (axes.size() != sizes.size() || sizes.size() > kMostDimensions)
    throw std::invalid_argument(fmt::format("{} has {} sizes: expected as many as axis_names, {}, and at most {}",
                                            fields.PathOf("shape"), sizes.size(), axes.size(), kMostDimensions));
  for (size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > plan::kMostRanks)
      throw std::invalid_argument(
          fmt::format("{}: expected sizes from 1 to {}, got {}", fields.PathOf("shape"), plan::kMostRanks, sizes[i]));
    mesh.axes.push_back({axes[i], static_cast<int>(sizes[i])});
  }
  const std::string problem = plan::Problem({.mesh = mesh});  // before sizes are multiplied
  if (!problem.empty()) throw std::invalid_argument(fields.PathOf("shape") + ": " + problem);
  return mesh;
}

/// The devices of axis d and of those inside of it.
void AddDevices(const json& value, const Mesh& mesh, size_t d, const std::string& path, std::vector<int64_t>& devices) {
  if (d == mesh.axes.size()) {
    devices.push_back(JsonFields(value, path).Integer("id", 0));
    return;
  }
  if (!value.is_array() || value.size() != static_cast<size_t>(mesh.axes[d].size))
    ThrowUnexpected(path, fmt::format("{} entries along axis {}", mesh.axes[d].size, mesh.axes[d].name), value);
  for (const json& inner : value) AddDevices(inner, mesh, d + 1, path, devices);
}

std::vector<int64_t> DevicesFrom(JsonFields& fields, const Mesh& mesh) {
  if (!fields.Has("device_mesh") || fields.Any("device_mesh").is_null()) return {};
  JsonFields inner(fields.Any("device_mesh"), fields.PathOf("device_mesh"));
  std::vector<int64_t> devices;
  AddDevices(inner.Any("mesh"), mesh, 0, inner.PathOf("mesh"), devices);
  std::vector<int64_t> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw std::invalid_argument(fmt::format("{} has device {} twice", inner.PathOf("mesh"), *twice));
  return devices;
}

std::vector<std::vector<std::string>> SpecFrom(JsonFields& fields, const Mesh& mesh) {
  const std::string path = fields.PathOf("partition_spec");
  std::vector<std::vector<std::string>> spec;
  std::set<std::string> used;
  for (const json& entry : fields.Array("partition_spec")) {
    if (spec.size() == kMostDimensions)
      throw std::invalid_argument(fmt::format("{} has more than {} entries: refused", path, kMostDimensions));
    if (entry.is_null()) {
      spec.emplace_back();
    } else if (entry.is_array()) {
      spec.push_back(AxesFrom(entry, path));
    } else {
      spec.push_back({AxisFrom(entry, path)});
    }
    for (const std::string& axis : spec.back()) {
      const auto is_it = [&](const MeshAxis& known) { return known.name == axis; };
      if (std::none_of(mesh.axes.begin(), mesh.axes.end(), is_it))
        throw std::invalid_argument(fmt::format("{} names axis {}, which axis_names does not have", path, axis));
      if (!used.insert(axis).second) throw std::invalid_argument(fmt::format("{} names axis {} twice", path, axis));
    }
  }
  return spec;
}

OrbaxSharding ShardingFrom(const json& value, const std::string& name) {
  if (!value.is_string()) ThrowUnexpected(name, "a sharding as text of JSON", value);
  const json inside = NamingFile(name, [&] { return ParseJson(value.get_ref<const std::string&>(), kJsonLimits); });
  JsonFields fields(inside, name);
  const std::string type = fields.Text("sharding_type");
  if (type == "SingleDeviceSharding") return {};
  if (type != "NamedSharding")
    throw std::invalid_argument(fmt::format("{}: expected NamedSharding or SingleDeviceSharding, got {}",
                                            fields.PathOf("sharding_type"), ShownBytes(type)));
  OrbaxSharding sharding;
  const Mesh mesh = MeshFrom(fields);
  sharding.mesh = OrbaxMesh{mesh, DevicesFrom(fields, mesh)};
  sharding.spec = SpecFrom(fields, mesh);
  return sharding;
}

}  // namespace

int64_t OrbaxSharding::PartsOf(size_t d) const {
  int64_t parts = 1;
  if (d < spec.size()) {
    for (const std::string& axis : spec[d]) parts *= mesh->mesh.size(axis);
  }
  return parts;
}

std::map<std::string, OrbaxSharding> OrbaxShardingsFrom(std::string_view text) {
  const json value = ParseJson(text, kJsonLimits);
  if (!value.is_object()) ThrowUnexpected("_sharding", "an object", value);
  std::map<std::string, OrbaxSharding> shardings;
  for (const auto& [base64, sharding] : value.items()) {
    const std::string name = NameFrom(base64);
    if (!shardings.emplace(name, ShardingFrom(sharding, name)).second)
      throw std::invalid_argument(fmt::format("it has {} twice", name));
  }
  return shardings;
}

}  // namespace zerocts::read
