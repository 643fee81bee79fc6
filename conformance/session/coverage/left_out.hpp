// Was it the subject that keeps a run from a clause, or an option of the command line?
#pragma once
#include <string>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/session/configuration/settings.hpp"

namespace zerocts {

/// "left out by --optimizer adamw": the options without which the clause would have cases, of one that has none; ""
/// where the subject has none in a run without them either.
std::string LeftOutBy(const Clause& clause, const CaseSpace& space, const SessionSettings& settings);

}  // namespace zerocts
