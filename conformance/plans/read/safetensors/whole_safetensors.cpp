// Whole tensors: one safetensors file, or those that an index of Hugging Face names.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/stored_tensors.hpp"
#include "conformance/plans/safetensors.hpp"

namespace zerocts::read {
namespace {

constexpr const char* kShardMark = "DCP_SHARDING_INFO";

StoredTensor WholeTensor(const plan::Tensor& tensor, int32_t file) {
  return {tensor, {{std::vector<int64_t>(tensor.shape.size(), 0), tensor.shape, file}}};
}

Reading ReadOne(const std::string& path) {
  const SafetensorsHeader header = HeaderOfSafetensors(path, kJsonLimits);
  if (header.metadata.contains(kShardMark))
    throw std::invalid_argument("it is one shard of several: expected the folder that holds them");
  Reading reading{.format = fmt::format("safetensors: one file, {} tensors", header.tensors.size())};
  std::vector<StoredTensor> tensors;
  for (const plan::Tensor& tensor : header.tensors) tensors.push_back(WholeTensor(tensor, 0));
  SetPlanOf(tensors, "file", 1, reading);
  return reading;
}

void AddFile(const std::string& path, const std::string& name, std::set<std::string> expected, int32_t file,
             std::vector<StoredTensor>& tensors, Reading& reading) {
  if (!IsFile(path)) {
    reading.faults.push_back(fmt::format("file {} is missing, with {} tensors", name, expected.size()));
    return;
  }
  for (const plan::Tensor& tensor : HeaderOfSafetensors(path, kJsonLimits).tensors) {
    if (expected.erase(tensor.name) > 0) {
      tensors.push_back(WholeTensor(tensor, file));
    } else {
      reading.faults.push_back(fmt::format("{} has {}, which the index does not put there", name, tensor.name));
    }
  }
  for (const std::string& tensor : expected) reading.faults.push_back(fmt::format("{} is not in {}", tensor, name));
}

Reading ReadIndex(const std::string& path) {
  Reading reading;
  std::vector<StoredTensor> tensors;
  const auto files = FilesOfIndex(path, kJsonLimits);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  int32_t file = 0;
  for (const auto& [name, expected] : files)
    AddFile(folder.empty() ? name : folder + "/" + name, name, expected, file++, tensors, reading);
  SetPlanOf(tensors, "file", std::max(file, 1), reading);
  reading.format = fmt::format("Hugging Face index: {} files, {} tensors", files.size(), tensors.size());
  return reading;
}

}  // namespace

Reading ReadSafetensors(const std::string& path) {
  BytesOfFile(path);
  Reading reading = path.ends_with(".index.json") ? ReadIndex(path) : ReadOne(path);
  reading.plan.planner = "safetensors";
  reading.untold = {"who held what in the training: tensors are whole, a file is no rank",
                    "a file of another run with the same tensors: files have no hash"};
  return reading;
}

}  // namespace zerocts::read
