#include "conformance/plans/read/orbax/zarr_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/stored_tensors.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/shown_bytes.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::read {

using nlohmann::json;
using plan::Dtype;

namespace {

constexpr size_t kMostZarrDimensions = 16;

struct NamedDtype {
  std::string_view format_2, format_3;
  Dtype dtype;  // of unsigned integers the signed one: plans ask how many bytes an element has
};
constexpr NamedDtype kDtypes[] = {
    {"<f8", "float64", Dtype::kFp64},
    {"<f4", "float32", Dtype::kFp32},
    {"<f2", "float16", Dtype::kFp16},
    {"bfloat16", "bfloat16", Dtype::kBf16},
    {"float8_e4m3fn", "float8_e4m3fn", Dtype::kFp8E4m3},
    {"float8_e5m2", "float8_e5m2", Dtype::kFp8E5m2},
    {"<i8", "int64", Dtype::kInt64},
    {"<u8", "uint64", Dtype::kInt64},
    {"<i4", "int32", Dtype::kInt32},
    {"<u4", "uint32", Dtype::kInt32},
    {"<i2", "int16", Dtype::kInt16},
    {"<u2", "uint16", Dtype::kInt16},
    {"|i1", "int8", Dtype::kInt8},
    {"|u1", "uint8", Dtype::kUint8},
    {"|b1", "bool", Dtype::kBool},
};

Dtype DtypeOf(const std::string& name) {
  for (const NamedDtype& known : kDtypes) {
    if (name == known.format_2 || name == known.format_3) return known.dtype;
  }
  throw std::invalid_argument(
      fmt::format("expected an element of {}, got \"{}\"", plan::DtypeNames(), ShownBytes(name)));
}

std::string SeparatorFrom(JsonFields& fields, const std::string& name, const char* otherwise) {
  const std::string separator = fields.Has(name) ? fields.Text(name) : otherwise;
  if (separator != "." && separator != "/")
    throw std::invalid_argument(
        fmt::format("{}: expected . or /, got \"{}\"", fields.PathOf(name), ShownBytes(separator)));
  return separator;
}

ZarrArray FromFormat2(const json& value) {
  JsonFields fields(value, ".zarray");
  ZarrArray array{.shape = IntegersFrom(fields.Array("shape"), fields.PathOf("shape")),
                  .chunk = IntegersFrom(fields.Array("chunks"), fields.PathOf("chunks")),
                  .dtype = DtypeOf(fields.Text("dtype"))};
  array.separator = SeparatorFrom(fields, "dimension_separator", ".");
  return array;
}

ZarrArray FromFormat3(const json& value) {
  JsonFields fields(value, "zarr.json");
  JsonFields grid(fields.Any("chunk_grid"), fields.PathOf("chunk_grid"));
  JsonFields regular(grid.Any("configuration"), grid.PathOf("configuration"));
  ZarrArray array{.shape = IntegersFrom(fields.Array("shape"), fields.PathOf("shape")),
                  .chunk = IntegersFrom(regular.Array("chunk_shape"), regular.PathOf("chunk_shape")),
                  .dtype = DtypeOf(fields.Text("data_type")),
                  .prefix = "c"};
  JsonFields keys(fields.Any("chunk_key_encoding"), fields.PathOf("chunk_key_encoding"));
  const json none = json::object();
  JsonFields of_keys(keys.Has("configuration") ? keys.Any("configuration") : none, keys.PathOf("configuration"));
  array.separator = SeparatorFrom(of_keys, "separator", "/");
  return array;
}

void RequireSizes(const ZarrArray& array) {
  if (array.shape.size() != array.chunk.size() || array.shape.size() > kMostZarrDimensions)
    throw std::invalid_argument(fmt::format("shape {} and chunks {}: expected as many sizes, at most {}",
                                            ShapeText(array.shape), ShapeText(array.chunk), kMostZarrDimensions));
  int64_t chunks = 1;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    if (array.shape[d] < 1 || array.chunk[d] < 1)
      throw std::invalid_argument(fmt::format("shape {} and chunks {}: expected sizes of at least 1",
                                              ShapeText(array.shape), ShapeText(array.chunk)));
    chunks = CheckedProduct(chunks, CeilDivided(array.shape[d], array.chunk[d]));
    if (chunks > kMostChunks)
      throw std::invalid_argument(fmt::format("shape {} has more than {} chunks of {}: refused", ShapeText(array.shape),
                                              kMostChunks, ShapeText(array.chunk)));
  }
}

}  // namespace

int64_t ZarrArray::chunks() const {
  int64_t count = 1;
  for (size_t d = 0; d < shape.size(); ++d) count *= CeilDivided(shape[d], chunk[d]);
  return count;
}

std::string ZarrArray::FileOf(int64_t index) const {
  std::vector<int64_t> place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t along = CeilDivided(shape[d], chunk[d]);
    place[d] = index % along;
    index /= along;
  }
  if (place.empty()) return prefix.empty() ? "0" : prefix;
  return fmt::format("{}{}{}", prefix, prefix.empty() ? "" : separator, fmt::join(place, separator));
}

ZarrArray ZarrArrayIn(const std::string& folder, bool format_3) {
  const std::string file = format_3 ? "zarr.json" : ".zarray";
  return NamingFile(file, [&] {
    const json value = ParseJson(TextOfFile(folder + "/" + file, kJsonLimits.bytes), kJsonLimits);
    const ZarrArray array = format_3 ? FromFormat3(value) : FromFormat2(value);
    RequireSizes(array);
    return array;
  });
}

}  // namespace zerocts::read
