// How a subject arranges an experiment on its ranks, beyond stage and plan: choices that have names.
#pragma once
#include <string>

#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

std::string ToString(GradientSync sync);  // "last_micro_batch", "every_micro_batch"
GradientSync GradientSyncFromString(const std::string& name);

/// What lives on the host between its uses. Changes no bit.
enum class Offload { kNone, kParams, kFull };
std::string ToString(Offload offload);  // "none", "params", "full"
Offload OffloadFromString(const std::string& name);

/// Do collectives run beside forward and backward? Changes no bit.
enum class Overlap { kAny, kOff, kOn };
std::string ToString(Overlap overlap);  // "any", "off", "on"
Overlap OverlapFromString(const std::string& name);

}  // namespace zerocts
