// The files of a DeepSpeed checkpoint as values: what each rank says about its partitions, and the shapes of the model.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::read {

/// "bf16_zero_pp_rank_2_mp_rank_00_optim_states.pt" is of data-parallel rank 2 and tensor-parallel rank 0.
struct DeepspeedName {
  int rank = 0, tensor_rank = 0;
};
/// Nothing: no file of optimizer states.
std::optional<DeepspeedName> OptimizerFileFrom(const std::string& name);

/// Elements [start, start + numel) of a rank's partition of a group are elements of this parameter.
struct Fragment {
  std::string parameter;
  int64_t start = 0, numel = 0;
};
struct DeepspeedGroup {
  int64_t numel = 0;                // of the partition, with its padding
  int64_t saved = 0;                // of it in the file: stages 1 and 2 leave the padding out
  std::vector<Fragment> fragments;  // of stages 1 and 2
};
struct DeepspeedRank {
  int stage = 0;
  int64_t ranks = 0;  // by its own account
  std::vector<DeepspeedGroup> groups;
  std::vector<std::string> problems;  // states of another size than the partition
};
/// Throws std::invalid_argument.
DeepspeedRank DeepspeedRankFrom(const std::string& path);

/// Parameters of each group of the optimizer, in the order of the flat buffer.
struct DeepspeedModel {
  std::vector<std::vector<plan::Tensor>> groups;
  int64_t ranks = 0;
  bool round_robin = false;  // parameters have another order in the flat buffer, which no file says
};
/// Reads the first ..mp_rank_00_model_states.pt: every file has all shapes.
DeepspeedModel DeepspeedModelIn(const std::string& folder);

}  // namespace zerocts::read
