// Known failures of frameworks, which a subject that stands on one may have too.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/session/configuration/settings.hpp"
#include "conformance/session/failure/failure.hpp"

namespace zerocts {

/// {framework, issue, date} of the first framework whose expectations file has this clause, sentence and release; null
/// where none has. It excuses nothing: --expect does. Never throws: the failure stands without it.
nlohmann::json KnownElsewhere(const Failure& failure, const Configuration& configuration,
                              const SessionSettings& settings);

}  // namespace zerocts
