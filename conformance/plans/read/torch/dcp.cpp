// torch.distributed.checkpoint. The planner writes every block once, so its file has an owner and no replicas.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/stored_tensors.hpp"
#include "conformance/plans/read/torch/dcp_metadata.hpp"
#include "conformance/plans/read/torch/stored_block.hpp"
#include "reference/experiment/json_fields.hpp"
#include "reference/experiment/shown_bytes.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::read {
namespace {

constexpr const char* kMetadata = "/.metadata";
constexpr int32_t kMostWriters = 1 << 20;

/// "__3_0.distcp" is the first file of writer 3.
int32_t WriterOf(const std::string& file) {
  int32_t writer = -1;
  const char* end = file.data() + file.size();
  const auto read = file.starts_with("__") ? std::from_chars(file.data() + 2, end, writer) : std::from_chars_result{};
  if (writer < 0 || writer >= kMostWriters || read.ptr == end || *read.ptr != '_' || !file.ends_with(".distcp"))
    throw std::invalid_argument(fmt::format("file {}: expected a name such as __3_0.distcp, by its writer", file));
  return writer;
}

/// The files that are there and long enough for what .metadata puts there.
class Files {
 public:
  Files(const std::string& folder, const DcpMetadata& metadata, Reading& reading) : folder_(folder) {
    for (const DcpPlace& place : metadata.places) {
      std::map<uint64_t, uint64_t>& ends = places_[place.file];
      if (!ends.emplace(place.begin, place.bytes).second)
        reading.faults.push_back(
            fmt::format("two blocks begin at byte {} of {}, one is of {}", place.begin, place.file, place.name));
      writers_ = std::max(writers_, WriterOf(place.file) + 1);
    }
    for (const auto& [file, places] : places_) JudgeFile(file, places, reading);
  }

  int writers() const { return writers_; }
  size_t count() const { return places_.size(); }

  /// Does the file have these bytes?
  bool Has(const DcpPlace& place) const {
    const uint64_t bytes = bytes_.at(place.file);
    return place.begin <= bytes && place.bytes <= bytes - place.begin;
  }

 private:
  void JudgeFile(const std::string& file, const std::map<uint64_t, uint64_t>& places, Reading& reading) {
    const bool there = IsFile(folder_ + "/" + file);
    bytes_[file] = there ? BytesOfFile(folder_ + "/" + file) : 0;
    if (!there) reading.faults.push_back(fmt::format("file {} is missing, with {} blocks", file, places.size()));
    uint64_t end = 0;
    for (const auto& [begin, bytes] : places) {
      if (begin < end)
        reading.faults.push_back(fmt::format("bytes [{}, {}) of {} are those of two blocks", begin, end, file));
      if (begin > UINT64_MAX - bytes) throw std::invalid_argument("a block that ends beyond 2^64 bytes: refused");
      end = std::max(end, begin + bytes);
    }
    if (there && end > bytes_[file])
      reading.faults.push_back(fmt::format("file {} has {} bytes: expected {}", file, bytes_[file], end));
  }

  const std::string folder_;
  std::map<std::string, std::map<uint64_t, uint64_t>> places_;
  std::map<std::string, uint64_t> bytes_;
  int writers_ = 1;
};

using PlaceKey = std::pair<std::string, std::vector<int64_t>>;

std::map<PlaceKey, const DcpPlace*> ByBlock(const DcpMetadata& metadata) {
  std::map<PlaceKey, const DcpPlace*> places;
  for (const DcpPlace& place : metadata.places) {
    if (!places.emplace(PlaceKey{place.name, place.offsets}, &place).second)
      throw std::invalid_argument(fmt::format("storage_data has {} at {} twice", place.name, ShapeText(place.offsets)));
  }
  return places;
}

/// Blocks that no file has, or another block stands in their place, are left out: nobody holds them.
std::vector<Block> HeldBlocks(const std::string& folder, const DcpTensor& tensor, const Files& files,
                              const std::map<PlaceKey, const DcpPlace*>& places, Reading& reading) {
  std::vector<Block> held;
  for (const DcpBlock& block : tensor.blocks) {
    const auto found = places.find({tensor.tensor.name, block.offsets});
    const std::string name = fmt::format("the block of {} at {}", tensor.tensor.name, ShapeText(block.offsets));
    if (found == places.end()) {
      reading.faults.push_back(name + " is in no file");
      continue;
    }
    const DcpPlace& place = *found->second;
    if (!files.Has(place)) continue;  // told once per file
    const std::string problem =
        ProblemOfStoredBlock(folder + "/" + place.file, place.begin, place.bytes, block.sizes, tensor.tensor.dtype);
    if (problem.empty()) {
      held.push_back({block.offsets, block.sizes, WriterOf(place.file)});
    } else {
      reading.faults.push_back(fmt::format("{} in {}: {}", name, place.file, problem));
    }
  }
  return held;
}

/// Megatron's dist_checkpointing writes DCP and says so in a file beside it; other backends of it have no .metadata.
std::string WriterOfFolder(const std::string& folder) {
  const std::string path = folder + "/metadata.json";
  if (!IsFile(path)) return "torch DCP";
  const nlohmann::json value = ParseJson(TextOfFile(path, kJsonLimits.bytes), kJsonLimits);
  const std::string backend = JsonFields(value, "metadata.json").Text("sharded_backend");
  if (backend != "torch_dist" && backend != "fsdp_dtensor")
    throw std::invalid_argument(
        fmt::format("metadata.json: expected sharded_backend torch_dist or fsdp_dtensor, got {}", ShownBytes(backend)));
  return fmt::format("Megatron dist_checkpointing, {}", backend);
}

void RequireSizes(const DcpMetadata& metadata) {
  plan::Model model;
  for (const DcpTensor& tensor : metadata.tensors) {
    model.push_back(tensor.tensor);
    for (const DcpBlock& block : tensor.blocks) {
      const std::string problem = plan::Problem({.model = {{.name = tensor.tensor.name, .shape = block.sizes}}});
      if (!problem.empty()) throw std::invalid_argument("a block: " + problem);
    }
  }
  const std::string problem = plan::Problem({.model = std::move(model)});
  if (!problem.empty()) throw std::invalid_argument(problem);
}

}  // namespace

Reading ReadDcp(const std::string& folder) {
  Reading reading;
  const Pickle pickle(TextOfFile(folder + kMetadata, PickleLimits{}.bytes));
  const DcpMetadata metadata = DcpMetadataFrom(pickle);
  RequireSizes(metadata);
  const Files files(folder, metadata, reading);
  const auto places = ByBlock(metadata);
  std::vector<StoredTensor> tensors;
  for (const DcpTensor& tensor : metadata.tensors)
    tensors.push_back({tensor.tensor, HeldBlocks(folder, tensor, files, places, reading)});
  SetPlanOf(tensors, "writer", files.writers(), reading);
  reading.plan.planner = WriterOfFolder(folder);
  reading.format = fmt::format("{}: {} files of {} writers, {} tensors, {} other objects", reading.plan.planner,
                               files.count(), files.writers(), metadata.tensors.size(), metadata.others);
  reading.untold = {
      "which rank of the training held a block: files have the writers' numbers, and replicas are written once",
      "writers behind the last that wrote anything", "which tensors are parameters and which optimizer state",
      "a file of another run whose blocks have the same names, places and sizes: .metadata has no hash"};
  return reading;
}

}  // namespace zerocts::read
