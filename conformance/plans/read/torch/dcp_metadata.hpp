// `.metadata` of torch.distributed.checkpoint as values: which tensors there are, in which blocks, and where each block
// lies.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/plans/read/pickle/pickle.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::read {

struct DcpBlock {
  std::vector<int64_t> offsets, sizes;
};
struct DcpTensor {
  plan::Tensor tensor;
  std::vector<DcpBlock> blocks;
};
/// Where an object of this name, or its block at these offsets, lies.
struct DcpPlace {
  std::string name;
  std::vector<int64_t> offsets;  // {}: not a tensor, or a tensor without dimensions
  std::string file;
  uint64_t begin = 0, bytes = 0;
};
struct DcpMetadata {
  std::vector<DcpTensor> tensors;
  size_t others = 0;  // objects that are no tensors
  std::vector<DcpPlace> places;
};

/// Throws std::invalid_argument: what was expected where, and what was got.
DcpMetadata DcpMetadataFrom(const Pickle& pickle);

}  // namespace zerocts::read
