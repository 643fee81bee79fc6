#include "conformance/plans/read/torch/saved_tensor.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "reference/experiment/shown_bytes.hpp"
#include "reference/plan/runs/problem.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::read {
namespace {

using plan::Dtype;

struct NamedStorage {
  std::string_view name;
  Dtype dtype;
};
constexpr NamedStorage kStorageDtypes[] = {
    {"DoubleStorage", Dtype::kFp64},
    {"FloatStorage", Dtype::kFp32},
    {"HalfStorage", Dtype::kFp16},
    {"BFloat16Storage", Dtype::kBf16},
    {"Float8_e4m3fnStorage", Dtype::kFp8E4m3},
    {"Float8_e5m2Storage", Dtype::kFp8E5m2},
    {"LongStorage", Dtype::kInt64},
    {"IntStorage", Dtype::kInt32},
    {"ShortStorage", Dtype::kInt16},
    {"CharStorage", Dtype::kInt8},
    {"ByteStorage", Dtype::kUint8},
    {"BoolStorage", Dtype::kBool},
};

Dtype DtypeOf(const PickleView& storage) {
  for (const NamedStorage& known : kStorageDtypes) {
    if (storage.Name() == known.name) return known.dtype;
  }
  throw std::invalid_argument(
      fmt::format("expected a storage of {}, got {}", plan::DtypeNames(), ShownBytes(storage.Name())));
}

/// Elements that the storage has.
int64_t RequireStorage(const PickleView& id, Dtype dtype, const std::map<std::string, int64_t>& storages) {
  const std::string key(id[2].Utf8());
  const int64_t numel = id[4].Size();
  const auto found = storages.find(key);
  if (found == storages.end()) throw std::invalid_argument(fmt::format("storage {} is missing in the zip", key));
  const int64_t bytes = CheckedProduct(numel, plan::BytesOf(dtype));
  if (found->second != bytes)
    throw std::invalid_argument(
        fmt::format("storage {} has {} bytes: expected {} of {} elements", key, found->second, bytes, numel));
  return numel;
}

/// One behind the last element that a view reaches.
int64_t EndOf(int64_t offset, const std::vector<int64_t>& shape, const PickleView& strides) {
  int64_t end = CheckedSum(offset, 1);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return 0;
    end = CheckedSum(end, CheckedProduct(shape[d] - 1, strides[d].Size()));
  }
  return end;
}

/// The arguments of _rebuild_tensor_v2: a tensor, or what a parameter or a tensor with attributes is made of.
PickleView ArgumentsOf(PickleView tensor) {
  if (tensor.Calls("torch._utils", "_rebuild_parameter")) tensor = tensor.Argument(0);
  if (tensor.Calls("torch._tensor", "_rebuild_from_type_v2")) {
    if (!tensor.Argument(0).Names("torch._utils", "_rebuild_tensor_v2")) tensor.ThrowUnlike("a tensor");
    return tensor.Argument(2);
  }
  if (!tensor.Calls("torch._utils", "_rebuild_tensor_v2")) tensor.ThrowUnlike("a tensor");
  return tensor.Arguments();
}

}  // namespace

SavedTensor SavedTensorFrom(const PickleView& tensor, const std::map<std::string, int64_t>& storages) {
  const PickleView arguments = ArgumentsOf(tensor);
  const PickleView storage = arguments[0].Persistent();
  SavedTensor saved{.dtype = DtypeOf(storage[1])};
  for (size_t d = 0, all = arguments[2].length(); d < all; ++d) saved.shape.push_back(arguments[2][d].Size());
  const std::string problem = plan::Problem({.model = {{.name = "of a pickle", .shape = saved.shape}}});
  if (!problem.empty()) throw std::invalid_argument(problem);
  saved.numel = plan::Tensor{.name = "", .shape = saved.shape}.numel();
  const int64_t numel = RequireStorage(storage, saved.dtype, storages);
  const int64_t end = EndOf(arguments[1].Size(), saved.shape, arguments[3]);
  if (end > numel)
    throw std::invalid_argument(fmt::format("a tensor reaches element {} of a storage of {}", end - 1, numel));
  return saved;
}

}  // namespace zerocts::read
