// Writes a file of tensors (tensor_file.hpp) that are known beforehand but for their values, one after the other.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "impl/subject/checkpoint/new_file.hpp"
#include "impl/subject/checkpoint/tensor_file.hpp"

namespace zerocts::engine {

/// Throws std::runtime_error with the path. The header comes last: a file that was not finished has none.
class TensorFileWriter {
 public:
  TensorFileWriter(const std::string& path, std::vector<FileTensor> tensors, Metadata metadata);
  /// Writes the values of the next tensor.
  void Append(std::span<const std::byte> values);
  /// The file is on the disk then.
  FileIdentity Finish();

 private:
  NewFile file_;
  std::vector<FileTensor> tensors_;
  const Metadata metadata_;
  size_t appended_ = 0;
  uint64_t end_ = 0;  // of what was written
};

}  // namespace zerocts::engine
