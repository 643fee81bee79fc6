// A safetensors file: its header, which is all that is read of it.
#include "conformance/plans/safetensors.hpp"

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {
namespace {

std::string FileOf(const std::string& header, size_t data_bytes) {
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size() % 256);
  file[1] = static_cast<char>(header.size() / 256);
  return file + header + std::string(data_bytes, '\0');
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {
      FileOf(R"({"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})", 12),
      FileOf(
          R"({"__metadata__":{"DCP_SHARDING_INFO":"{\"b\":{\"saved_offsets\":[4]}}"},)"
          R"("b":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"e":{"dtype":"I64","shape":[0],"data_offsets":[12,12]}})",
          12)};
}

void FuzzOne(std::string_view bytes) {
  const FuzzFile file(bytes);
  ReadOrRefuse<UsageError>(bytes, [&] { HeaderOfSafetensors(file.path()); });
}

}  // namespace zerocts
