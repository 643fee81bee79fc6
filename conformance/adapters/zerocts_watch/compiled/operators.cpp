// What Python cannot do, or does slowly: operators zerocts_watch::, for any release of torch (`zerocts watch prepare`).
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/core/grad_mode.h>
#include <torch/library.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace {

/// As Python names it; torch gives Python no way to read it.
std::string ReduceName(const c10::intrusive_ptr<c10d::ReduceOp>& reduce) {
  switch (reduce->op_) {
    case c10d::ReduceOp::SUM: return "sum";
    case c10d::ReduceOp::AVG: return "avg";
    case c10d::ReduceOp::PRODUCT: return "product";
    case c10d::ReduceOp::MIN: return "min";
    case c10d::ReduceOp::MAX: return "max";
    case c10d::ReduceOp::BAND: return "band";
    case c10d::ReduceOp::BOR: return "bor";
    case c10d::ReduceOp::BXOR: return "bxor";
    default: return "other";
  }
}

bool IsPlain(const at::Tensor& tensor) { return tensor.device().is_cpu() && tensor.is_contiguous(); }

/// A framework may have freed it behind the tensor's back.
void RequireStorage(const at::Tensor& tensor) {
  const size_t end = tensor.nbytes() + static_cast<size_t>(tensor.storage_offset()) * tensor.itemsize();
  TORCH_CHECK(tensor.numel() == 0 || tensor.storage().nbytes() >= end, "a tensor has lost its storage");
}

template <typename To>
void TakeInto(To* to, const at::Tensor& from, const at::Tensor& positions) {
  const int64_t* at = positions.const_data_ptr<int64_t>();
  RequireStorage(from);
  AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, from.scalar_type(), "zerocts_watch", [&] {
    const auto* values = from.const_data_ptr<scalar_t>();
    for (int64_t i = 0; i < positions.numel(); ++i) {
      TORCH_CHECK(0 <= at[i] && at[i] < from.numel(), "expected positions of the tensor");
      to[i] = static_cast<To>(values[at[i]]);
    }
  });
}

/// The elements of each tensor at its positions, one behind the other, as float or double on the CPU.
at::Tensor Take(at::TensorList tensors, at::TensorList positions, at::ScalarType dtype) {
  TORCH_CHECK(tensors.size() == positions.size(), "expected positions for each tensor");
  const at::NoGradGuard no_grad;
  int64_t count = 0;
  for (const at::Tensor& at : positions) count += at.numel();
  at::Tensor taken = at::empty({count}, at::TensorOptions(dtype).device(at::kCPU));
  int64_t begin = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t n = positions[i].numel();
    if (!IsPlain(tensors[i])) {
      taken.narrow(0, begin, n).copy_(at::take(tensors[i], positions[i]));
    } else if (dtype == at::kFloat) {
      TakeInto(taken.mutable_data_ptr<float>() + begin, tensors[i], positions[i]);
    } else {
      TakeInto(taken.mutable_data_ptr<double>() + begin, tensors[i], positions[i]);
    }
    begin += n;
  }
  return taken;
}

/// sampling.digest, of words in rows as long as `weights`: sum over rows of (2654435761 row + 1) (words . weights).
int64_t Digest(const at::Tensor& tensor, const at::Tensor& weights) {
  RequireStorage(tensor);
  const auto* bytes = static_cast<const char*>(tensor.const_data_ptr());
  const auto* weight = weights.const_data_ptr<int64_t>();
  const int64_t size = static_cast<int64_t>(tensor.nbytes()), row = weights.numel(), whole = size / 8 / row * row;
  const auto word = [&](int64_t at) {
    uint64_t value = 0;
    std::memcpy(&value, bytes + 8 * at, 8);
    return value;
  };
  uint64_t total = 0;
  for (int64_t begin = 0; begin < whole; begin += row) {
    uint64_t dot = 0;
    for (int64_t i = 0; i < row; ++i) dot += word(begin + i) * static_cast<uint64_t>(weight[i]);
    total += dot * (static_cast<uint64_t>(begin / row) * 2654435761U + 1);
  }
  for (int64_t i = whole; i < size / 8; ++i) total += word(i) * static_cast<uint64_t>(weight[i - whole]);
  uint64_t last = 0;
  std::memcpy(&last, bytes + size / 8 * 8, static_cast<size_t>(size % 8));
  if (size % 8) total += last * static_cast<uint64_t>(weight[size / 8 - whole]);
  return static_cast<int64_t>(total);
}

/// The tensors are contiguous and on the CPU.
at::Tensor Digests(at::TensorList tensors, const at::Tensor& weights) {
  at::Tensor digests = at::empty({static_cast<int64_t>(tensors.size())}, at::kLong);
  auto* to = digests.mutable_data_ptr<int64_t>();
  for (const at::Tensor& tensor : tensors) *to++ = Digest(tensor, weights);
  return digests;
}

/// In double, in as many sums as a processor adds at once.
template <typename From>
double SumOfSquares(const From* values, int64_t count) {
  constexpr int64_t kSums = 16;
  std::array<double, kSums> sums{};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int64_t k = 0; k < kSums; ++k) {
      const auto value = static_cast<double>(values[i + k]);
      sums[k] += value * value;
    }
  }
  double sum = 0;
  for (; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  for (const double part : sums) sum += part;
  return sum;
}

/// The tensors are contiguous and on the CPU.
at::Tensor Squares(at::TensorList tensors) {
  at::Tensor squares = at::empty({static_cast<int64_t>(tensors.size())}, at::kDouble);
  auto* to = squares.mutable_data_ptr<double>();
  for (const at::Tensor& tensor : tensors) {
    RequireStorage(tensor);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, tensor.scalar_type(), "zerocts_watch",
                                    [&] { *to++ = SumOfSquares(tensor.const_data_ptr<scalar_t>(), tensor.numel()); });
  }
  return squares;
}

}  // namespace

TORCH_LIBRARY(zerocts_watch, m) {
  m.def("reduce_name(__torch__.torch.classes.c10d.ReduceOp reduce) -> str", ReduceName);
  m.def("take(Tensor[] tensors, Tensor[] positions, ScalarType dtype) -> Tensor", Take);
  m.def("squares(Tensor[] tensors) -> Tensor", Squares);
  m.def("digests(Tensor[] tensors, Tensor weights) -> Tensor", Digests);
}
