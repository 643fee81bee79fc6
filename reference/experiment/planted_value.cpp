#include "reference/experiment/planted_value.hpp"

#include <limits>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<NonFinite> kNonFiniteNames[] = {
    {NonFinite::kInfinity, "inf"}, {NonFinite::kMinusInfinity, "-inf"}, {NonFinite::kNan, "nan"}};

}  // namespace

std::string ToString(NonFinite value) { return NameOf(kNonFiniteNames, value); }
NonFinite NonFiniteFromString(const std::string& name) { return FromName(kNonFiniteNames, "value", name); }

float ValueOf(NonFinite value) {
  if (value == NonFinite::kNan) return std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  return value == NonFinite::kInfinity ? infinity : -infinity;
}

}  // namespace zerocts
