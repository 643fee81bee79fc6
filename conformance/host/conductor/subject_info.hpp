// What a subject says about itself.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

struct SubjectInfo {
  std::string name, version, description;
  Capabilities capabilities;
  std::string capabilities_text;
  std::vector<GroupNote> notes;     // what loading it changed
  std::vector<GroupEnd> bad_end{};  // of the group that was asked, where it did not end as it should
};

/// Starts one rank (or as many as its command starts), asks, ends it, in a session folder of its own. Throws
/// UsageError: not a plugin, wrong ABI major, bad capabilities; StartEnded (group_end.hpp): it crashed or hung.
SubjectInfo AskSubject(const SubjectSpec& subject, const HostSettings& settings = {},
                       LauncherKind launcher = LauncherKind::kLocal, int world_size = 1);

}  // namespace zerocts
