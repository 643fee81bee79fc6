// checkpoint.json of a checkpoint of the native engine: who saved, which files there are, and all that is not a tensor.
// What belongs to a parameter goes by its name.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "impl/stages/engine/engine.hpp"
#include "impl/subject/checkpoint/saves.hpp"
#include "impl/subject/checkpoint/tensor_file.hpp"

namespace zerocts::engine {

/// The ranks that saved.
struct Savers {
  int world_size = 1, stage = 0, replicas = 1, tensor = 1, experts = 1;
  /// The first ranks, which hold together all that any holds: in stage 0 the first tensor ranks, or one of each expert,
  /// else the first replica.
  int writers() const { return stage == 0 ? tensor * experts : world_size / replicas; }
};

struct SavedParameter {
  std::vector<int64_t> shape;
  BetaProducts products;
  bool frozen = false;
};

struct CheckpointIndex {
  uint64_t save = 0;  // its id (saves.hpp), as in every file
  Savers savers;
  std::vector<FileIdentity> files;  // of tensors, by the ranks that wrote them
  OptimizerKind optimizer = OptimizerKind::kSgd;
  int64_t steps = 0;
  LossScaleState loss_scale;
  std::vector<HyperParameters> groups;
  std::map<std::string, SavedParameter> parameters;
};

std::string FileOfRank(int rank);  // "rank-1.safetensors"
/// What the file of a rank says about itself.
Metadata MetadataOf(const CheckpointIndex& index, int rank);

/// Describes an engine between two steps; without what comes to be while it is saved, its id and files.
CheckpointIndex IndexOf(const Engine& engine, int world_size);
/// "", or one sentence about what no training can have left.
std::string Problem(const CheckpointIndex& index);
/// What an engine with these settings goes on from. Throws std::invalid_argument when the checkpoint is of other
/// parameters, groups or of another optimizer.
EngineProgress ProgressFrom(const CheckpointIndex& index, const EngineSettings& settings);

/// Both throw std::runtime_error with the path. A hash is XXH3-128 of the text.
std::string WriteIndex(const CheckpointIndex& index, const std::string& folder);
CheckpointIndex ReadIndex(const std::string& folder, const LatestSave& latest);

}  // namespace zerocts::engine
