// A rank's inputs as raw frames, for ranks that have no generator.
#pragma once
#include "conformance/cases/case/case.hpp"
#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

ShippedInputs ShippedInputsOf(const Case& c, int rank);

}  // namespace zerocts
