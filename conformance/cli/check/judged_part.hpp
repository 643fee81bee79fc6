// Which part of all that can be judged a run judges, in words.
#pragma once
#include <string>

#include "conformance/session/configuration/settings.hpp"

namespace zerocts {

/// "3 chosen clauses, world size 3 only, stage 1 only"; "" when nothing is left out that the subject declares.
std::string JudgedPart(const SessionSettings& settings, size_t clauses);

}  // namespace zerocts
