// Orbax, as jax saves by StandardCheckpointer and PyTreeCheckpointer. Its JSON says how arrays were divided; where they
// lie in its data base (OCDBT) no JSON says, in folders of zarr the names of files do.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/orbax/orbax_blocks.hpp"
#include "conformance/plans/read/orbax/orbax_processes.hpp"
#include "conformance/plans/read/orbax/orbax_shapes.hpp"
#include "conformance/plans/read/orbax/zarr_array.hpp"

namespace zerocts::read {
namespace {

std::string TextOf(const std::string& folder, const char* name) {
  return TextOfFile(folder + "/" + name, kJsonLimits.bytes);
}

OrbaxTree TreeIn(const std::string& folder) {
  return NamingFile("_METADATA", [&] { return OrbaxTreeFrom(TextOf(folder, "_METADATA")); });
}

/// Reads the file _sharding, which a tree without arrays of jax does not have.
std::map<std::string, OrbaxSharding> ShardingsIn(const std::string& folder) {
  if (!IsFile(folder + "/_sharding")) return {};
  return NamingFile("_sharding", [&] { return OrbaxShardingsFrom(TextOf(folder, "_sharding")); });
}

class OrbaxReader {
 public:
  explicit OrbaxReader(const std::string& folder)
      : folder_(folder),
        tree_(TreeIn(folder)),
        shardings_(ShardingsIn(folder)),
        shards_(NamingFile("_sharding", [&] { return OrbaxShards(shardings_); })),
        processes_(OrbaxProcessesIn(folder, reading_.faults)) {}

  Reading Read() {
    OrbaxBlocks blocks(shards_);
    std::vector<StoredTensor> tensors;
    for (const OrbaxLeaf& leaf : tree_.leaves) {
      if (leaf.type == "jax.Array") {
        const auto tensor = TensorOf(leaf);
        if (tensor) tensors.push_back(blocks.Of(*tensor, shardings_.at(leaf.name)));
      } else if (!tree_.ocdbt && leaf.is_stored && leaf.type != "string") {
        const auto array = ZarrOf(leaf.name);
        if (array) JudgeFiles(leaf.name, *array);
      }
    }
    JudgeNames();
    if (tree_.ocdbt) JudgeDataBases(folder_, processes_, all_write_, reading_.faults);
    SetPlanOf(tensors, shards_.mesh.mesh, shards_.axes, reading_);
    reading_.plan.planner = "orbax";
    reading_.format =
        fmt::format("orbax, {}: {} processes, {}, {} arrays, {} other leaves",
                    tree_.ocdbt   ? "OCDBT"
                    : tree_.zarr3 ? "zarr 3"
                                  : "zarr",
                    processes_.described.size(), MeshText(), tensors.size(), tree_.leaves.size() - tensors.size());
    SayWhatIsUntold();
    return std::move(reading_);
  }

 private:
  std::string MeshText() const {
    return shards_.mesh.mesh.axes.empty() ? "no mesh" : "mesh " + ToString(shards_.mesh.mesh);
  }

  /// Nothing, and a fault, where its files do not agree.
  std::optional<plan::Tensor> TensorOf(const OrbaxLeaf& leaf) {
    const auto sharding = shardings_.find(leaf.name);
    const auto shapes = processes_.shapes.find(leaf.name);
    if (sharding == shardings_.end() || shapes == processes_.shapes.end())
      return Refused(leaf, fmt::format("is an array of jax, and {} does not have it",
                                       sharding == shardings_.end() ? "_sharding" : "array_metadatas"));
    if (leaf.write_shape && *leaf.write_shape != shapes->second.write)
      return Refused(leaf, fmt::format("is written by blocks of {} in _METADATA, and of {} in array_metadatas",
                                       ShapeText(*leaf.write_shape), ShapeText(shapes->second.write)));
    const std::string problem = ProblemOfBlocks(shapes->second, sharding->second);
    if (!problem.empty()) return Refused(leaf, problem);
    return tree_.ocdbt ? LeastTensor(leaf, shapes->second, sharding->second)
                       : ZarrTensor(leaf, shapes->second, sharding->second);
  }

  std::optional<plan::Tensor> Refused(const OrbaxLeaf& leaf, const std::string& why) {
    reading_.faults.push_back(leaf.name + " " + why);
    return {};
  }

  plan::Tensor LeastTensor(const OrbaxLeaf& leaf, const OrbaxShapes& shapes, const OrbaxSharding& sharding) {
    const bool replicas = ReplicasOf(sharding) > 1;
    with_replicas_ += replicas && !shapes.write.empty();
    all_write_ = all_write_ || (sharding.mesh && !replicas);
    return {.name = leaf.name, .shape = LeastShape(shapes, sharding)};
  }

  std::optional<plan::Tensor> ZarrTensor(const OrbaxLeaf& leaf, const OrbaxShapes& shapes,
                                         const OrbaxSharding& sharding) {
    const std::optional<ZarrArray> array = ZarrOf(leaf.name);
    if (!array) return {};
    const std::string problem = ProblemOfParts(array->shape, shapes, sharding);
    if (!problem.empty()) return Refused(leaf, fmt::format("has shape {} and {}", ShapeText(array->shape), problem));
    const std::vector<int64_t>& expected =
        tree_.zarr3 ? shapes.write : shapes.chunk;  // a file of zarr 3 has all chunks
    if (array->chunk != expected)
      return Refused(leaf, fmt::format("has files of {}: expected {} by array_metadatas", ShapeText(array->chunk),
                                       ShapeText(expected)));
    JudgeFiles(leaf.name, *array);
    return plan::Tensor{.name = leaf.name, .shape = array->shape, .dtype = array->dtype};
  }

  /// Nothing, and a fault, where it is missing.
  std::optional<ZarrArray> ZarrOf(const std::string& name) {
    RequirePlainName(name, "_METADATA");
    const std::string folder = folder_ + "/" + name;
    if (!IsFile(folder + (tree_.zarr3 ? "/zarr.json" : "/.zarray"))) {
      reading_.faults.push_back(fmt::format("the array in folder {} is missing", name));
      return {};
    }
    return NamingFile(name, [&] { return ZarrArrayIn(folder, tree_.zarr3); });
  }

  /// A file that is missing or empty is a fault.
  void JudgeFiles(const std::string& name, const ZarrArray& array) {
    chunks_ += array.chunks();
    if (chunks_ > kMostChunks)
      throw std::invalid_argument(fmt::format("by {} there are more than {} chunks: refused", name, kMostChunks));
    int64_t missing = 0;
    std::string first;
    for (int64_t index = 0; index < array.chunks(); ++index) {
      const std::string file = name + "/" + array.FileOf(index);
      const bool there = IsFile(folder_ + "/" + file);
      if (there ? BytesOfFile(folder_ + "/" + file) > 0 : !tree_.stores_all_chunks) continue;
      if (++missing == 1) first = fmt::format("file {} is {}", file, there ? "empty" : "missing");
    }
    if (missing > 1) first += fmt::format(", and {} more of {}", missing - 1, array.chunks());
    if (missing > 0) reading_.faults.push_back(first);
  }

  /// Does the tree have all that the other files name?
  void JudgeNames() {
    std::set<std::string_view> leaves;
    for (const OrbaxLeaf& leaf : tree_.leaves) leaves.insert(leaf.name);
    const auto judge = [&](const auto& named, const char* file) {
      for (const auto& [name, what] : named) {
        if (!leaves.contains(name))
          reading_.faults.push_back(fmt::format("{} has {}, which _METADATA does not have", file, name));
      }
    };
    judge(processes_.shapes, "array_metadatas");
    judge(shardings_, "_sharding");
  }

  void SayWhatIsUntold() {
    reading_.untold = {"which arrays are parameters and which optimizer state",
                       "which process had which device, so a last process of which nothing is left is not seen",
                       "a file of another run whose arrays have the same shapes: files have no hash"};
    if (tree_.ocdbt)
      reading_.untold.push_back("dtypes: the plan has fp32 for all. They stand in the data base, unread");
    if (with_replicas_ > 0)
      reading_.untold.push_back(
          fmt::format("how large {} arrays with replicas are, for each replica may have written a part: the plan has "
                      "the least that they can be",
                      with_replicas_));
    if (!tree_.stores_all_chunks)
      reading_.untold.push_back("whether a file that is not there is missing: zeros are left out");
    const auto alone =
        std::count_if(shardings_.begin(), shardings_.end(), [](const auto& named) { return !named.second.mesh; });
    if (alone > 0)
      reading_.untold.push_back(
          fmt::format("where in the mesh {} arrays of one device are: the plan gives them to the first shard", alone));
  }

  const std::string folder_;
  const OrbaxTree tree_;
  const std::map<std::string, OrbaxSharding> shardings_;
  const OrbaxShards shards_;
  Reading reading_;
  const OrbaxProcesses processes_;  // behind reading_, which has its faults
  int64_t with_replicas_ = 0, chunks_ = 0;
  bool all_write_ = false;  // some array has a part on every device
};

/// A step of CheckpointManager has a folder for each of its items.
std::string OnlyItemIn(const std::string& folder) {
  std::vector<std::string> items;
  for (const std::string& name : NamesIn(folder)) {
    if (IsFile(folder + "/" + name + "/_METADATA")) items.push_back(name);
  }
  if (items.size() == 1) return folder + "/" + items.front();
  throw std::invalid_argument(
      items.empty() ? "expected _METADATA in it or in one folder in it, there is none"
                    : fmt::format("it has items {} and {}: expected the folder of one", items[0], items[1]));
}

}  // namespace

Reading ReadOrbax(const std::string& folder) {
  return OrbaxReader(IsFile(folder + "/_METADATA") ? folder : OnlyItemIn(folder)).Read();
}

}  // namespace zerocts::read
