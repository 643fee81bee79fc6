#include "conformance/plans/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"
#include "reference/plan/runs/problem.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

namespace fs = std::filesystem;

[[noreturn]] void Throw(const std::string& path, const std::string& what) {
  throw UsageError(fmt::format("safetensors file {}: {}", path, what));
}

/// A little-endian number of 64 bits, and so many bytes of JSON; both.
std::string HeaderOf(const std::string& path, uint64_t file_bytes, const JsonLimits& limits) {
  std::ifstream file = OpenUserFile(path, std::numeric_limits<uint64_t>::max());
  std::array<unsigned char, 8> length{};
  if (!file.read(reinterpret_cast<char*>(length.data()), 8)) Throw(path, "expected a header, got fewer than 8 bytes");
  uint64_t bytes = 0;
  for (int i = 7; i >= 0; --i) bytes = bytes << 8 | length[i];
  if (bytes > limits.bytes || bytes > file_bytes - 8)
    Throw(path,
          fmt::format("a header of {} bytes: expected at most {}, and no more than the file has", bytes, limits.bytes));
  std::string text(reinterpret_cast<const char*>(length.data()), 8);
  text.resize(8 + bytes);
  if (!file.read(text.data() + 8, static_cast<std::streamsize>(bytes))) Throw(path, "the header cannot be read");
  return text;
}

struct Stored {
  plan::Tensor tensor;
  int64_t begin = 0, end = 0;  // bytes behind the header
};

Stored StoredFrom(const std::string& name, const json& value) {
  JsonFields fields(value, name);
  Stored stored{.tensor = {.name = name}};
  const std::string dtype = fields.Text("dtype");
  const std::optional<plan::Dtype> known = plan::DtypeFrom(dtype);
  if (!known) ThrowUnexpected(fields.PathOf("dtype"), "one of " + plan::DtypeNames(), dtype);
  stored.tensor.dtype = *known;
  stored.tensor.shape = IntegersFrom(fields.Array("shape"), fields.PathOf("shape"));
  const std::vector<int64_t> offsets = IntegersFrom(fields.Array("data_offsets"), fields.PathOf("data_offsets"));
  if (offsets.size() != 2) ThrowUnexpected(fields.PathOf("data_offsets"), "[begin, end]", value["data_offsets"]);
  stored.begin = offsets[0], stored.end = offsets[1];
  fields.ExpectNoOthers();
  return stored;
}

/// Throws std::invalid_argument unless tensors fill the bytes behind the header, one after the other.
void RequireTight(std::vector<Stored>& stored, int64_t data_bytes) {
  std::sort(stored.begin(), stored.end(),
            [](const Stored& a, const Stored& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  int64_t end = 0;
  for (const Stored& s : stored) {
    if (s.begin != end)
      throw std::invalid_argument(
          fmt::format("{} begins at byte {}: expected {}, where the one before it ends", s.tensor.name, s.begin, end));
    const int64_t bytes = CheckedProduct(s.tensor.numel(), plan::BytesOf(s.tensor.dtype));
    if (s.end - s.begin != bytes)
      throw std::invalid_argument(
          fmt::format("{} has {} bytes: expected {} by its shape", s.tensor.name, s.end - s.begin, bytes));
    end = s.end;
  }
  if (end != data_bytes)
    throw std::invalid_argument(
        fmt::format("tensors end at byte {}: expected {}, the end of the file", end, data_bytes));
}

void RequireTexts(const json& metadata) {
  if (!metadata.is_object()) ThrowUnexpected("__metadata__", "an object", metadata);
  for (const auto& [key, text] : metadata.items()) {
    if (!text.is_string()) ThrowUnexpected("__metadata__." + key, "a text", text);
  }
}

SafetensorsHeader HeaderFrom(std::string header, int64_t data_bytes, const JsonLimits& limits) {
  std::vector<Stored> stored;
  SafetensorsHeader read;
  plan::Model& model = read.tensors;
  const json tensors = ParseJson(std::string_view(header).substr(8), limits);
  if (!tensors.is_object()) ThrowUnexpected("header", "an object", tensors);
  for (const auto& [name, value] : tensors.items()) {
    if (name == "__metadata__") {
      RequireTexts(value);
      continue;
    }
    stored.push_back(StoredFrom(name, value));
    model.push_back(stored.back().tensor);
  }
  const std::string problem = plan::Problem({.model = model});  // before shapes are multiplied
  if (!problem.empty()) throw std::invalid_argument(problem);
  RequireTight(stored, data_bytes);
  for (size_t t = 0; t < stored.size(); ++t) model[t] = stored[t].tensor;
  read.bytes = std::move(header);
  return read;
}

/// Tensors by file, in the order of the files' names.
std::map<std::string, std::set<std::string>> WeightMap(const json& index) {
  std::map<std::string, std::set<std::string>> files;
  JsonFields fields(index, "index");
  const json& map = fields.Any("weight_map");
  if (!map.is_object()) ThrowUnexpected("index.weight_map", "an object", map);
  for (const auto& [tensor, file] : map.items()) {
    if (!file.is_string()) ThrowUnexpected("index.weight_map." + tensor, "the name of a file", file);
    const auto name = file.get<std::string>();
    if (fs::path(name).filename() != name || name == "." || name == "..")
      ThrowUnexpected("index.weight_map." + tensor, "a file beside the index", file);
    files[name].insert(tensor);
  }
  return files;
}

/// Whether the files are there is not asked.
std::map<std::string, std::set<std::string>> FilesOfIndex(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) throw UsageError(fmt::format("index {}: expected a file that can be read; check the path", path));
  try {
    return WeightMap(ParseJson(*text));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("index {}: {}", path, wrong.what()));
  }
}

}  // namespace

plan::Model ModelOfSafetensors(const std::string& path) { return HeaderOfSafetensors(path).tensors; }

SafetensorsHeader HeaderOfSafetensors(const std::string& path, const JsonLimits& limits) {
  std::error_code failed;
  const uint64_t bytes = fs::file_size(path, failed);
  if (failed) Throw(path, "expected a file that can be read; check the path");
  std::string header = HeaderOf(path, std::max<uint64_t>(bytes, 8), limits);
  const auto data_bytes = static_cast<int64_t>(bytes - header.size());
  try {
    return HeaderFrom(std::move(header), data_bytes, limits);
  } catch (const std::invalid_argument& wrong) {
    Throw(path, wrong.what());
  }
}

plan::Model ModelOfIndex(const std::string& path) {
  plan::Model model;
  for (auto& [name, expected] : FilesOfIndex(path)) {
    const std::string file = (fs::path(path).parent_path() / name).string();
    for (plan::Tensor& tensor : ModelOfSafetensors(file)) {
      if (expected.erase(tensor.name) == 0)
        throw UsageError(
            fmt::format("index {}: {} has tensor {}, which the index does not put there", path, file, tensor.name));
      model.push_back(std::move(tensor));
    }
    if (!expected.empty())
      throw UsageError(fmt::format("index {}: expected tensor {} in {}, it is missing", path, *expected.begin(), file));
  }
  return model;
}

}  // namespace zerocts
