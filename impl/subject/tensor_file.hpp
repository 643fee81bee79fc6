// A file of named tensors in the format of safetensors: eight bytes with the length of the header, the header as JSON
// {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets"}, ..}, then the values end to end,
// little-endian.
#pragma once
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "reference/model/model.hpp"

namespace zerocts {

struct FileTensor {
  std::string name;
  Precision precision = Precision::kFp32;
  int64_t numel = 0;
  int64_t begin_byte = 0;  // in the file
};

using Metadata = std::map<std::string, std::string>;

/// Writes a file whose tensors are known beforehand, one after the other. Throws std::runtime_error with the path.
class TensorFileWriter {
 public:
  TensorFileWriter(const std::string& path, const std::vector<FileTensor>& tensors, const Metadata& metadata);
  void Append(const void* values, int64_t bytes);
  void Finish();

 private:
  const std::string path_;
  std::ofstream file_;
};

/// Reads one. Throws std::runtime_error with the path for a file that is missing, cut off, longer than it says or of
/// another format.
class TensorFile {
 public:
  explicit TensorFile(const std::string& path);

  const std::vector<FileTensor>& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }
  /// Elements [begin, begin + numel) of a tensor.
  void Read(const FileTensor& tensor, int64_t begin, int64_t numel, void* values) const;

 private:
  [[noreturn]] void Fail(const std::string& expected, const std::string& got) const;
  void ReadHeader(uint64_t file_bytes);

  const std::string path_;
  mutable std::ifstream file_;
  std::vector<FileTensor> tensors_;
  Metadata metadata_;
};

}  // namespace zerocts
