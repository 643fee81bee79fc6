#include "impl/subject/tensor_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "impl/stages/engine_settings.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t kLargestHeader = 100'000'000;  // as in safetensors
constexpr const char* kMetadata = "__metadata__";

const char* NameOf(Precision precision) { return precision == Precision::kBf16 ? "BF16" : "F32"; }

int64_t BytesOf(const FileTensor& tensor) { return tensor.numel * ElementBytes(tensor.precision); }

std::string HeaderOf(const std::vector<FileTensor>& tensors, const Metadata& metadata) {
  json header = {{kMetadata, metadata}};
  int64_t begin = 0;
  for (const FileTensor& tensor : tensors) {
    const int64_t end = begin + BytesOf(tensor);
    header[tensor.name] = {
        {"dtype", NameOf(tensor.precision)}, {"shape", {tensor.numel}}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // values stand aligned
  return text;
}

/// `offsets`: of the first value in the file. Throws json::exception or std::invalid_argument.
FileTensor TensorFrom(const std::string& name, const json& entry, int64_t values_begin, int64_t values_bytes) {
  FileTensor tensor{.name = name};
  const std::string dtype = entry.at("dtype");
  if (dtype != "F32" && dtype != "BF16") throw std::invalid_argument("dtype " + dtype);
  tensor.precision = dtype == "BF16" ? Precision::kBf16 : Precision::kFp32;
  tensor.numel = entry.at("shape").at(0);
  const int64_t begin = entry.at("data_offsets").at(0), end = entry.at("data_offsets").at(1);
  if (tensor.numel < 0 || begin < 0 || end > values_bytes || end - begin != BytesOf(tensor)) {
    throw std::invalid_argument("offsets of " + name);
  }
  tensor.begin_byte = values_begin + begin;
  return tensor;
}

}  // namespace

TensorFileWriter::TensorFileWriter(const std::string& path, const std::vector<FileTensor>& tensors,
                                   const Metadata& metadata)
    : path_(path), file_(path, std::ios::binary | std::ios::trunc) {
  const std::string header = HeaderOf(tensors, metadata);
  const uint64_t length = header.size();
  Append(&length, sizeof length);
  Append(header.data(), static_cast<int64_t>(length));
}

void TensorFileWriter::Append(const void* values, int64_t bytes) {
  file_.write(static_cast<const char*>(values), bytes);
  if (!file_) throw std::runtime_error(fmt::format("{}: cannot be written ({})", path_, std::strerror(errno)));
}

void TensorFileWriter::Finish() {
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("{}: cannot be written ({})", path_, std::strerror(errno)));
}

TensorFile::TensorFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (error || !file_) Fail("a file of tensors", "none that can be read");
  ReadHeader(bytes);
}

void TensorFile::ReadHeader(uint64_t file_bytes) {
  uint64_t length = 0;
  file_.read(reinterpret_cast<char*>(&length), sizeof length);
  if (!file_ || length > kLargestHeader || sizeof length + length > file_bytes) {
    Fail("a header of tensors", fmt::format("a file of {} bytes that is cut off or of another format", file_bytes));
  }
  std::string text(length, ' ');
  file_.read(text.data(), static_cast<std::streamsize>(length));
  const auto values_begin = static_cast<int64_t>(sizeof length + length);
  const int64_t values_bytes = static_cast<int64_t>(file_bytes) - values_begin;
  int64_t described = 0;
  try {
    const json header = json::parse(text);
    metadata_ = header.at(kMetadata).get<Metadata>();
    for (const auto& [name, entry] : header.items()) {
      if (name == kMetadata) continue;
      tensors_.push_back(TensorFrom(name, entry, values_begin, values_bytes));
      described += BytesOf(tensors_.back());
    }
  } catch (const std::exception& wrong) {
    Fail("tensors that the file holds", fmt::format("a header that is wrong ({})", wrong.what()));
  }
  if (described != values_bytes) {
    Fail(fmt::format("{} bytes of values", described), std::to_string(values_bytes));
  }
}

void TensorFile::Read(const FileTensor& tensor, int64_t begin, int64_t numel, void* values) const {
  const int64_t element = ElementBytes(tensor.precision);
  file_.clear();
  file_.seekg(tensor.begin_byte + begin * element);
  file_.read(static_cast<char*>(values), numel * element);
  if (!file_) Fail(fmt::format("elements [{}, {}) of {}", begin, begin + numel, tensor.name), "a read that failed");
}

void TensorFile::Fail(const std::string& expected, const std::string& got) const {
  throw std::runtime_error(
      fmt::format("{}: expected {}, got {}; load a checkpoint that is whole", path_, expected, got));
}

}  // namespace zerocts
