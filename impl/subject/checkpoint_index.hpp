// checkpoint.json of a checkpoint of the native engine: which files there are, and all that is not a tensor. What
// belongs to a parameter goes by its name.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "impl/stages/engine.hpp"

namespace zerocts {

inline constexpr const char* kCheckpointFormat = "zerocts.checkpoint/1";  // of the index and of the files

struct SavedParameter {
  std::vector<int64_t> shape;
  BetaProducts products;
  bool frozen = false;
};

struct CheckpointIndex {
  std::vector<std::string> files;  // of tensors
  OptimizerKind optimizer = OptimizerKind::kSgd;
  int64_t steps = 0;
  LossScaleState loss_scale;
  std::vector<HyperParameters> groups;
  std::map<std::string, SavedParameter> parameters;
};

/// Of an engine between two steps.
CheckpointIndex IndexOf(const Engine& engine, std::vector<std::string> files);
/// What an engine with these settings goes on from. Throws std::invalid_argument when the checkpoint is of other
/// parameters, groups or of another optimizer.
EngineProgress ProgressFrom(const CheckpointIndex& index, const EngineSettings& settings);

/// Both throw std::runtime_error with the path.
void WriteIndex(const CheckpointIndex& index, const std::string& path);
CheckpointIndex ReadIndex(const std::string& path);

}  // namespace zerocts
