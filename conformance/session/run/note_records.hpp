// What ranks said of themselves, in the log.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <vector>

#include "conformance/host/conductor/group_note.hpp"

namespace zerocts {

/// One record for each text, with all ranks that said it.
std::vector<nlohmann::json> NoteRecords(const std::set<GroupNote>& notes);

}  // namespace zerocts
