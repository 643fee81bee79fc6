// Files of tensors, in the format of safetensors, whose identity is right.
#include "impl/subject/checkpoint/tensor_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts::engine {
namespace {

/// As an index would tell it.
FileIdentity IdentityOf(std::string_view bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), std::min(sizeof length, bytes.size()));
  const size_t header_bytes = sizeof length + std::min<uint64_t>(length, bytes.size());
  const std::string_view header = bytes.substr(0, header_bytes);
  return {bytes.size(), HashOfBytes(header.data(), header.size())};
}

}  // namespace
}  // namespace zerocts::engine

namespace zerocts {

using namespace engine;

std::vector<std::string> FuzzSeeds() {
  FileTensor wide{.name = "a", .precision = Precision::kFp32, .numel = 2};
  FileTensor narrow{.name = "b", .precision = Precision::kBf16, .numel = 3};
  const std::string values(14, 'v');
  wide.hash = HashOfBytes(values.data(), 8);
  narrow.hash = HashOfBytes(values.data(), 6);
  return {HeaderOf({}, {{"format", "f"}}), HeaderOf({wide, narrow}, {{"format", "f"}}) + values};
}

void FuzzOne(std::string_view bytes) {
  const FuzzFile file(bytes);
  ReadOrRefuse<std::runtime_error>(bytes, [&] {
    const TensorFile tensors(file.path(), IdentityOf(bytes));
    for (const FileTensor& tensor : tensors.tensors()) tensors.Read(tensor);
  });
}

}  // namespace zerocts
