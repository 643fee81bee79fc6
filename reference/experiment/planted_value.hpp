// A value that is not finite, planted into a given gradient: how overflow and NaN get into an experiment on purpose.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts {

enum class NonFinite { kInfinity, kMinusInfinity, kNan };
std::string ToString(NonFinite value);  // "inf", "-inf", "nan"
NonFinite NonFiniteFromString(const std::string& name);
float ValueOf(NonFinite value);

/// Element `element` of the gradient that micro-batch `g` gives for `parameter` in step `step`. Without loss scaling
/// the step is taken: the norm is NaN; with clipping every parameter becomes NaN, without clipping the element does.
/// With loss scaling the step is skipped.
struct PlantedValue {
  int64_t step = 0, g = 0;
  int parameter = 0;
  int64_t element = 0;
  NonFinite value = NonFinite::kInfinity;
  friend bool operator==(const PlantedValue&, const PlantedValue&) = default;
};

}  // namespace zerocts
