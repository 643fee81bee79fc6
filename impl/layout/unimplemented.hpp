// The refusal of what makes sense but is not offered here.
#pragma once
#include <stdexcept>

namespace zerocts::engine {

/// Somebody else may offer it, this build does not; the text says what it does offer. A request that makes no sense for
/// anybody is a plain std::invalid_argument.
struct Unimplemented : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace zerocts::engine
