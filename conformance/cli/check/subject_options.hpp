// The options that say what is judged and how its ranks are held; check, replay and others share them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace CLI {
class App;
}

namespace zerocts {

struct SubjectOptions {
  std::string subject = "native";
  SubjectChoice choice;               // --version, --python
  std::vector<std::string> settings;  // --option key=value
  std::string device;                 // --device NAME: --option device=NAME; "": the subject's own
  std::string start_deadline;         // "": 120 seconds
  std::string deadline;               // of a case; "": 20 seconds, 60 where ranks are a framework's
  std::string shutdown_deadline;      // "": 10 seconds, 30 where ranks are a framework's
};

void AddSubjectOptions(CLI::App& command, SubjectOptions& options);

/// All throw UsageError. The first two need no subject and no folder.
HostSettings DeadlinesOf(const SubjectOptions& options);
std::vector<std::pair<std::string, std::string>> SettingsOf(const SubjectOptions& options);
SubjectSpec SpecOf(const SubjectOptions& options);
HostSettings HostSettingsOf(const SubjectOptions& options, const SessionFolder& folder);

}  // namespace zerocts
