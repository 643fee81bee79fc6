#include "impl/layout/layout_json.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "impl/layout/plans.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts::engine {

using nlohmann::json;

namespace {

json ToJson(const Bucket& bucket) {
  return {{"first_cut", bucket.first_cut}, {"end_cut", bucket.end_cut}, {"parameters", bucket.parameters}};
}

Cut CutFrom(const json& value, const std::string& path) {
  if (!value.is_array()) ThrowUnexpected(path, "an array", value);
  return IntegersFrom(value, path);
}

int ParameterFrom(const json& value, const std::string& path) {
  const int64_t index = IntegerFrom(value, path);
  if (index < 0 || index > std::numeric_limits<int>::max()) ThrowUnexpected(path, "the index of a parameter", value);
  return static_cast<int>(index);
}

Bucket BucketFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  Bucket bucket;
  bucket.first_cut = fields.Int("first_cut");
  bucket.end_cut = fields.Int("end_cut");
  bucket.parameters = ItemsFrom<int>(fields, "parameters", ParameterFrom);
  fields.ExpectNoOthers();
  return bucket;
}

}  // namespace

json ToJson(const Layout& layout) {
  return {{"plan", layout.plan},
          {"numel", layout.numel},
          {"offset", layout.offset},
          {"cuts", layout.cuts},
          {"buckets", ArrayOf(layout.buckets, [](const Bucket& bucket) { return ToJson(bucket); })}};
}

Layout LayoutFromJson(const json& value) {
  JsonFields fields(value, "layout");
  Layout layout;
  layout.plan = fields.Text("plan");
  layout.numel = IntegersFrom(fields.Array("numel"), fields.PathOf("numel"));
  layout.offset = IntegersFrom(fields.Array("offset"), fields.PathOf("offset"));
  layout.cuts = ItemsFrom<Cut>(fields, "cuts", CutFrom);
  layout.buckets = ItemsFrom<Bucket>(fields, "buckets", BucketFrom);
  fields.ExpectNoOthers();
  std::string problem = Problem(layout);
  if (problem.empty()) problem = BrokenPromise(layout);
  if (!problem.empty()) throw std::invalid_argument("layout: " + problem);
  return layout;
}

void SaveLayout(const Layout& layout, const std::string& path) {
  std::ofstream file(path);
  file << ToJson(layout).dump() << "\n";
  if (!file.flush()) {
    throw std::runtime_error(
        fmt::format("layout file {}: expected a file that can be written; check the folder and its permissions", path));
  }
}

Layout LoadLayout(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) {
    throw std::runtime_error(fmt::format("layout file {}: expected a file that can be read; check the path", path));
  }
  try {
    return LayoutFromJson(ParseJson(*text));
  } catch (const JsonTextError& wrong) {
    throw std::runtime_error(fmt::format("layout file {}: {}; save the layout again", path, wrong.what()));
  } catch (const std::invalid_argument& wrong) {
    throw std::runtime_error(fmt::format("layout file {}: {}", path, wrong.what()));
  }
}

}  // namespace zerocts::engine
