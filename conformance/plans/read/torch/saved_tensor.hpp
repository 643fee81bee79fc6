// A tensor in a pickle of torch.save, by its shape and the size of its storage.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/plans/read/pickle/pickle_view.hpp"
#include "reference/plan/value/dtype.hpp"

namespace zerocts::read {

struct SavedTensor {
  plan::Dtype dtype = plan::Dtype::kFp32;
  std::vector<int64_t> shape;
  int64_t numel = 0;
};

/// Throws std::invalid_argument unless it is a tensor, all of whose elements lie in its storage, and the storage has
/// the bytes that the pickle says; `storages` has the bytes of each key.
SavedTensor SavedTensorFrom(const PickleView& tensor, const std::map<std::string, int64_t>& storages);

}  // namespace zerocts::read
