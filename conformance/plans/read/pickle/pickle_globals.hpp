// The names that a pickle of a checkpoint may mention. They are recognized, never looked up: nothing stands behind
// them.
#pragma once
#include <string_view>

namespace zerocts::read {

bool IsKnownGlobal(std::string_view module, std::string_view name);

}  // namespace zerocts::read
