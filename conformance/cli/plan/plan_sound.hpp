// What is asked of sound plans only.
#pragma once
#include "reference/plan/value/plan.hpp"

namespace zerocts {

/// Throws UsageError with the first violation; `name` is what the user gave.
void RequireSound(const plan::Plan& plan, const std::string& name);

}  // namespace zerocts
