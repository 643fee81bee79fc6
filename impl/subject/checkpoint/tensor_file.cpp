#include "impl/subject/checkpoint/tensor_file.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "impl/stages/arrangement/engine_settings.hpp"
#include "impl/subject/checkpoint/damaged.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts::engine {

using nlohmann::json;

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kLargestHeader = 100'000'000;  // as in safetensors
constexpr const char* kMetadata = "__metadata__";

/// What the hash of a tensor is called in the metadata.
std::string KeyOfHash(const std::string& tensor) { return "xxh3-128 of " + tensor; }

std::string NameOf(Precision precision) { return precision == Precision::kBf16 ? "BF16" : "F32"; }

Precision PrecisionFrom(JsonFields& fields) {
  const std::string name = fields.Text("dtype");
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    if (name == NameOf(precision)) return precision;
  }
  ThrowUnexpected(fields.PathOf("dtype"), "F32 or BF16", name);
}

std::vector<int64_t> Integers(JsonFields& fields, const char* name, size_t count) {
  const std::vector<int64_t> integers = IntegersFrom(fields.Array(name), fields.PathOf(name));
  if (integers.size() != count) {
    ThrowUnexpected(fields.PathOf(name), count == 1 ? "one integer" : "two integers", integers);
  }
  return integers;
}

/// A tensor of which so many bytes of values may be. Throws std::invalid_argument.
FileTensor TensorFrom(const std::string& name, const json& entry, uint64_t values_bytes) {
  JsonFields fields(entry, name);
  FileTensor tensor{.name = name, .precision = PrecisionFrom(fields)};
  tensor.numel = Integers(fields, "shape", 1)[0];
  const std::vector<int64_t> offsets = Integers(fields, "data_offsets", 2);
  tensor.begin_byte = offsets[0];
  fields.ExpectNoOthers();
  const auto most = static_cast<int64_t>(values_bytes);
  if (tensor.numel < 0 || tensor.numel > most / ElementBytes(tensor.precision)) {
    ThrowUnexpected(fields.PathOf("shape"), fmt::format("elements within {} bytes", most), tensor.numel);
  }
  const auto [begin, end] = std::pair(offsets[0], offsets[1]);
  if (begin < 0 || end < begin || end > most || end - begin != tensor.bytes()) {
    ThrowUnexpected(fields.PathOf("data_offsets"), fmt::format("{} bytes among {}", tensor.bytes(), most), offsets);
  }
  return tensor;
}

Metadata MetadataFrom(const json& header) {
  const json& texts = JsonFields(header, "header").Any(kMetadata);
  JsonFields fields(texts, kMetadata);
  Metadata metadata;
  for (const auto& [key, text] : texts.items()) metadata[key] = fields.Text(key);
  return metadata;
}

/// Takes it out of the metadata.
std::string TakeHash(Metadata& metadata, const std::string& tensor) {
  const auto found = metadata.find(KeyOfHash(tensor));
  if (found == metadata.end()) throw std::invalid_argument("expected a hash of " + tensor + ", got none");
  std::string hash = found->second;
  metadata.erase(found);
  return hash;
}

}  // namespace

int64_t FileTensor::bytes() const { return numel * ElementBytes(precision); }

std::string HeaderOf(const std::vector<FileTensor>& tensors, const Metadata& metadata) {
  json header = {{kMetadata, metadata}};
  int64_t begin = 0;
  for (const FileTensor& tensor : tensors) {
    const int64_t end = begin + tensor.bytes();
    header[kMetadata][KeyOfHash(tensor.name)] = tensor.hash;
    header[tensor.name] = {
        {"dtype", NameOf(tensor.precision)}, {"shape", {tensor.numel}}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // values stand aligned
  if (text.size() > kLargestHeader) {
    throw std::runtime_error(fmt::format("{} tensors make a header of {} bytes: expected at most {}", tensors.size(),
                                         text.size(), kLargestHeader));
  }
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

TensorFile::TensorFile(const std::string& path, const FileIdentity& identity) : file_(path) {
  if (file_.bytes() != identity.bytes) {
    ThrowDamaged(path, fmt::format("expected {} bytes, got {}", identity.bytes, file_.bytes()));
  }
  uint64_t length = 0;
  if (file_.bytes() < sizeof length) ThrowDamaged(path, fmt::format("expected a header, got {} bytes", file_.bytes()));
  file_.Read(0, &length, sizeof length);
  if (length > std::min(kLargestHeader, file_.bytes() - sizeof length)) {
    ThrowDamaged(path, fmt::format("expected a header within the file, got one of {} bytes", length));
  }
  values_begin_ = sizeof length + length;
  std::string header(values_begin_, ' ');
  file_.Read(0, header.data(), header.size());
  if (const std::string hash = HashOfBytes(header.data(), header.size()); hash != identity.header_hash) {
    ThrowDamaged(path, fmt::format("expected a header with XXH3-128 {}, got {}: it is damaged or of another save",
                                   identity.header_hash, hash));
  }
  try {
    ReadTensors(header.substr(sizeof length));
  } catch (const std::invalid_argument& wrong) {
    ThrowDamaged(path, wrong.what());
  }
}

void TensorFile::ReadTensors(const std::string& header) {
  const json entries = ParseJson(header, {.bytes = kLargestHeader});
  metadata_ = MetadataFrom(entries);
  for (const auto& [name, entry] : entries.items()) {
    if (name == kMetadata) continue;
    FileTensor& tensor = tensors_.emplace_back(TensorFrom(name, entry, file_.bytes() - values_begin_));
    tensor.hash = TakeHash(metadata_, name);
  }
  RequireEndToEnd();
}

void TensorFile::RequireEndToEnd() {
  const auto span = [](const FileTensor& tensor) { return std::pair(tensor.begin_byte, tensor.bytes()); };
  std::ranges::sort(tensors_, {}, span);
  int64_t end = 0;
  for (const FileTensor& tensor : tensors_) {
    if (tensor.begin_byte != end) {
      throw std::invalid_argument(
          fmt::format("expected {} to begin at byte {} of the values, got {}", tensor.name, end, tensor.begin_byte));
    }
    end += tensor.bytes();
  }
  const uint64_t bytes = file_.bytes() - values_begin_;
  if (static_cast<uint64_t>(end) != bytes) {
    throw std::invalid_argument(fmt::format("expected {} bytes of values, got {}", end, bytes));
  }
}

std::vector<std::byte> TensorFile::Read(const FileTensor& tensor) const {
  std::vector<std::byte> values(static_cast<size_t>(tensor.bytes()));
  file_.Read(values_begin_ + static_cast<uint64_t>(tensor.begin_byte), values.data(), values.size());
  if (const std::string hash = HashOfBytes(values.data(), values.size()); hash != tensor.hash) {
    ThrowDamaged(path(), fmt::format("expected {} with XXH3-128 {}, got {}", tensor.name, tensor.hash, hash));
  }
  return values;
}

}  // namespace zerocts::engine
