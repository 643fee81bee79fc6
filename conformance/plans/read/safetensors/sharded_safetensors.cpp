// torch.distributed.checkpoint in safetensors files before they are consolidated: shard-00002-model-00001-of-00001 has
// blocks of shard 2; where they lie in their tensors stands in the metadata of the file. The size of a whole tensor
// stands nowhere.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/stored_tensors.hpp"
#include "conformance/plans/safetensors.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::read {

using nlohmann::json;

namespace {

constexpr const char* kSharding = "DCP_SHARDING_INFO";
constexpr int kMostShards = 1 << 20;

/// "shard-00002-..safetensors" is 2; 0: no such name.
int ShardOf(const std::string& name) {
  constexpr std::string_view kPrefix = "shard-";
  int shard = 0;
  if (!name.starts_with(kPrefix) || !name.ends_with(".safetensors")) return 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), shard);
  if (shard < 1 || shard > kMostShards)
    throw std::invalid_argument(fmt::format("{}: expected the number of a shard from 1 to {}", name, kMostShards));
  return shard;
}

class ShardedReader {
 public:
  explicit ShardedReader(const std::string& folder) {
    for (const std::string& name : NamesIn(folder)) {
      const int shard = ShardOf(name);
      if (shard > 0) ReadFile(folder + "/" + name, name, shard);
    }
  }

  Reading Read() {
    for (int shard = 1; shard <= last_; ++shard) {
      if (!shards_.contains(shard)) reading_.faults.push_back(fmt::format("shard {} of {} is missing", shard, last_));
      if (reading_.faults.size() > kMostFaults) break;
    }
    std::vector<StoredTensor> tensors;
    for (auto& [name, tensor] : tensors_) tensors.push_back(std::move(tensor));
    SetPlanOf(tensors, "shard", last_, reading_);
    reading_.plan.planner = "torch DCP, safetensors";
    reading_.format =
        fmt::format("torch DCP in safetensors: {} of {} shards, {} tensors", shards_.size(), last_, tensors.size());
    reading_.untold = {
        "how large a tensor is: it ends where its last block does, so a missing last shard is not seen",
        "which rank of the training held a block: files have the numbers of shards, and replicas are written once",
        "a file of another run whose blocks have the same places and sizes: files have no hash"};
    return std::move(reading_);
  }

 private:
  static constexpr size_t kMostFaults = 1000;

  void ReadFile(const std::string& path, const std::string& name, int shard) {
    shards_.insert(shard);
    last_ = std::max(last_, shard);
    BytesOfFile(path);
    const SafetensorsHeader header = HeaderOfSafetensors(path, kJsonLimits);
    const auto info = header.metadata.find(kSharding);
    if (info == header.metadata.end())
      throw std::invalid_argument(fmt::format("{}: expected {} in its metadata, it has none", name, kSharding));
    const json places = ParseJson(info->second, kJsonLimits);
    for (const plan::Tensor& tensor : header.tensors) AddBlock(tensor, name, places, shard);
  }

  void AddBlock(const plan::Tensor& tensor, const std::string& file, const json& places, int shard) {
    const std::string path = fmt::format("{}: {}.{}", file, kSharding, tensor.name);
    if (!places.is_object() || !places.contains(tensor.name)) throw std::invalid_argument(path + " is missing");
    JsonFields fields(places[tensor.name], path);
    const Block block{IntegersFrom(fields.Array("saved_offsets"), fields.PathOf("saved_offsets")), tensor.shape,
                      shard - 1};
    StoredTensor& stored = tensors_[tensor.name];
    if (stored.blocks.empty()) stored.tensor = tensor;
    if (stored.tensor.dtype != tensor.dtype)
      reading_.faults.push_back(fmt::format("{} is {} in {}: expected {} as in the shards before", tensor.name,
                                            plan::NameOf(tensor.dtype), file, plan::NameOf(stored.tensor.dtype)));
    if (block.offsets.size() != tensor.shape.size() || stored.tensor.shape.size() != tensor.shape.size())
      throw std::invalid_argument(fmt::format("{} has {} offsets: expected {}, one per dimension", path,
                                              block.offsets.size(), stored.tensor.shape.size()));
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
      if (block.offsets[d] < 0) throw std::invalid_argument(path + ": expected offsets of 0 or more");
      stored.tensor.shape[d] = std::max(stored.tensor.shape[d], CheckedSum(block.offsets[d], tensor.shape[d]));
    }
    stored.blocks.push_back(block);
  }

  Reading reading_;
  std::map<std::string, StoredTensor> tensors_;
  std::set<int> shards_;
  int last_ = 0;
};

}  // namespace

Reading ReadShardedSafetensors(const std::string& folder) { return ShardedReader(folder).Read(); }

}  // namespace zerocts::read
