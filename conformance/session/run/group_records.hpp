// What groups of ranks leave in the log outside of their cases: what went wrong, and what ranks said of themselves.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "conformance/contract/clause.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

inline constexpr const char* kStartPhase = "start";
inline constexpr const char* kShutdownPhase = "shutdown";

nlohmann::json GroupEndRecord(const std::string& phase, const GroupEnd& end);

/// The whole verdict of a subject whose ranks did not even say who they are: none of the clauses could run. Needs a
/// session in which nothing ran.
void FinishWithoutRanks(Session& session, const std::vector<Clause>& clauses, const GroupEnd& end);

/// One record for each text, with all ranks that said it.
std::vector<nlohmann::json> NoteRecords(const std::set<GroupNote>& notes);

}  // namespace zerocts
