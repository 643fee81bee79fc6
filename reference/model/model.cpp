#include "reference/model/model.hpp"

#include <functional>
#include <numeric>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Precision> kPrecisionNames[] = {{Precision::kFp32, "fp32"}, {Precision::kBf16, "bf16"}};

}  // namespace

std::string ToString(Precision precision) { return NameOf(kPrecisionNames, precision); }
Precision PrecisionFromString(const std::string& name) { return FromName(kPrecisionNames, "precision", name); }

int64_t ParameterSpec::numel() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace zerocts
