// A file of named tensors in the format of safetensors: eight bytes with the length of the header, the header as JSON
// {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets"}, ..}, then the values end to end,
// little-endian. The metadata hold a hash of each tensor's values, so the header's hash stands for the whole file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "impl/subject/checkpoint/regular_file.hpp"
#include "reference/model/model.hpp"

namespace zerocts::engine {

struct FileTensor {
  std::string name;
  Precision precision = Precision::kFp32;
  int64_t numel = 0;
  std::string hash = {};   // XXH3-128 of its values
  int64_t begin_byte = 0;  // among the values of the file
  int64_t bytes() const;
};

using Metadata = std::map<std::string, std::string>;

/// What tells one file from any other.
struct FileIdentity {
  uint64_t bytes = 0;
  std::string header_hash;  // XXH3-128 of the length and the header
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The length and the header of a file of such tensors, whose offsets follow from their order.
std::string HeaderOf(const std::vector<FileTensor>& tensors, const Metadata& metadata);

/// Reads one. Throws std::runtime_error with the path for a file that is missing, of another identity, or whose tensors
/// do not lie end to end.
class TensorFile {
 public:
  TensorFile(const std::string& path, const FileIdentity& identity);

  const std::string& path() const { return file_.path(); }
  const std::vector<FileTensor>& tensors() const { return tensors_; }  // in the order of their values
  const Metadata& metadata() const { return metadata_; }
  /// All values of one, which have the hash that the file says.
  std::vector<std::byte> Read(const FileTensor& tensor) const;

 private:
  void ReadTensors(const std::string& header);
  void RequireEndToEnd();

  const RegularFile file_;
  uint64_t values_begin_ = 0;
  std::vector<FileTensor> tensors_;
  Metadata metadata_;
};

}  // namespace zerocts::engine
