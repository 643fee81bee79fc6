// One tensor in a file of torch.distributed.checkpoint: a zip of torch.save among others.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/value/dtype.hpp"

namespace zerocts::read {

/// "", or what stands in bytes [begin, begin + bytes) instead of a tensor of this shape and dtype. Expects bytes that
/// the file has, and a shape within the limits of plans.
std::string ProblemOfStoredBlock(const std::string& path, uint64_t begin, uint64_t bytes,
                                 const std::vector<int64_t>& shape, plan::Dtype dtype);

}  // namespace zerocts::read
