// Which units make a model of each kind.
#pragma once
#include <memory>
#include <vector>

#include "reference/model/unit.hpp"

namespace zerocts {

/// Parameters of equal names in several units are one parameter.
using Units = std::vector<std::unique_ptr<Unit>>;

Units MlpUnits(const MlpSpec& spec, Precision precision);
Units GptUnits(const GptSpec& spec, Precision precision);

Units UnitsOf(const ModelSpec& spec, Precision precision);

}  // namespace zerocts
