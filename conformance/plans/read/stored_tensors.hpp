// Formats that store tensors block by block, whatever a tensor is for: a plan of what lies in which shard.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/plans/reading.hpp"

namespace zerocts::read {

/// Elements [offsets, offsets + sizes) of a tensor in every dimension.
struct Block {
  std::vector<int64_t> offsets, sizes;
  int32_t shard = 0;
  std::vector<int32_t> holders = {shard};  // the shards that have the same block, itself included, ascending
};
struct StoredTensor {
  plan::Tensor tensor;
  std::vector<Block> blocks;
  std::optional<plan::Rows> rows = {};  // the rule, instead of blocks
};

/// Sets reading.plan, with one mesh axis of `shards`, and adds a fault per block that is beyond its tensor. Every
/// tensor counts as a parameter without gradient and optimizer state: the formats do not say which is which. Throws
/// std::invalid_argument for sizes beyond the limits of plans, and for blocks that fall into more than 2^21 runs.
void SetPlanOf(const std::vector<StoredTensor>& tensors, const std::string& axis, int shards, Reading& reading);
/// Likewise, with the shards that stand along `axes` of `mesh`.
void SetPlanOf(const std::vector<StoredTensor>& tensors, const Mesh& mesh, const std::vector<std::string>& axes,
               Reading& reading);

/// "[3, 5]"
std::string ShapeText(const std::vector<int64_t>& sizes);

}  // namespace zerocts::read
