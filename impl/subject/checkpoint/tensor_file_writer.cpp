#include "impl/subject/checkpoint/tensor_file_writer.hpp"

#include <utility>

#include "reference/experiment/hash.hpp"

namespace zerocts::engine {
namespace {

/// As long as every hash is.
const std::string kHashToCome(32, '0');

std::vector<FileTensor> WithHashesToCome(std::vector<FileTensor> tensors) {
  for (FileTensor& tensor : tensors) tensor.hash = kHashToCome;
  return tensors;
}

}  // namespace

TensorFileWriter::TensorFileWriter(const std::string& path, std::vector<FileTensor> tensors, Metadata metadata)
    : file_(path),
      tensors_(WithHashesToCome(std::move(tensors))),
      metadata_(std::move(metadata)),
      end_(HeaderOf(tensors_, metadata_).size()) {}

void TensorFileWriter::Append(std::span<const std::byte> values) {
  tensors_.at(appended_++).hash = HashOfBytes(values.data(), values.size());
  file_.Write(end_, values.data(), values.size());
  end_ += values.size();
}

FileIdentity TensorFileWriter::Finish() {
  const std::string header = HeaderOf(tensors_, metadata_);
  file_.Write(0, header.data(), header.size());
  file_.Finish();
  return {end_, HashOfBytes(header.data(), header.size())};
}

}  // namespace zerocts::engine
