// One saved case again.
#pragma once
#include <string>

#include "conformance/session/run/session.hpp"

namespace zerocts {

/// The case through its clause's judge; for `zerocts replay`. Writes a reproducer too when a file is named. Returns the
/// exit code.
int ReplayCase(Session& session, const Case& c, const Configuration& configuration, const std::string& reproducer = "");

}  // namespace zerocts
