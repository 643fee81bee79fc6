// Are the subject's options, --option and --device, such that it can run at all?
#pragma once
#include "conformance/session/stratum/settings.hpp"

namespace zerocts {

/// A subject that refuses a plain case at the largest world size of the run, and takes it without its options, was
/// given options that it cannot have: throws UsageError with its own sentence. Starts ranks, under each launcher, when
/// there are options; ends them.
void RequireOptions(const SessionSettings& settings);

}  // namespace zerocts
