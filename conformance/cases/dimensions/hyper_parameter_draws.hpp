// Hyper-parameters of a group, as the space of a clause has them.
#pragma once
#include "conformance/cases/draws/drawing.hpp"

namespace zerocts {

/// Those that a group begins with, or takes later.
HyperParameters DrawHyperParameters(Drawing& drawing);

}  // namespace zerocts
