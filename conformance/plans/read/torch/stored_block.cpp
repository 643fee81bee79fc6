#include "conformance/plans/read/torch/stored_block.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "conformance/plans/read/stored_tensors.hpp"
#include "conformance/plans/read/torch/saved_tensor.hpp"
#include "conformance/plans/read/torch/torch_zip.hpp"

namespace zerocts::read {

std::string ProblemOfStoredBlock(const std::string& path, uint64_t begin, uint64_t bytes,
                                 const std::vector<int64_t>& shape, plan::Dtype dtype) {
  try {
    TorchZip zip = ReadTorchZip(path, {begin, bytes});
    const Pickle pickle(std::move(zip.pickle));
    const SavedTensor saved = SavedTensorFrom(PickleView(pickle), zip.storages);
    if (saved.shape != shape || saved.dtype != dtype)
      return fmt::format("expected {} of shape {}, got {} of shape {}: another file stands in its place",
                         plan::NameOf(dtype), ShapeText(shape), plan::NameOf(saved.dtype), ShapeText(saved.shape));
    return "";
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
}

}  // namespace zerocts::read
