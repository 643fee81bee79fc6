// Reads the shared options.
#include "conformance/cli/subject_options.hpp"

#include <CLI/CLI.hpp>

#include "conformance/cli/values.hpp"
#include "conformance/host/frameworks.hpp"

namespace zerocts {

void AddSubjectOptions(CLI::App& command, SubjectOptions& options) {
  command.add_option("--subject", options.subject, "What is judged: a name of `zerocts subjects`, plugin:PATH or exec:\"CMD\"")
      ->capture_default_str();
  command.add_option("--version", options.choice.version, "Release of the framework, such as 2.13 (default: see zerocts subjects)");
  command.add_option("--python", options.choice.python, "Python of your own environment with the framework (default: zerocts makes one)");
  command.add_option("--option", options.settings, "key=value for the subject; may be repeated")->allow_extra_args(false);
  command.add_option("--device", options.device, "Where the subject computes, as it names it: host, sim, cuda (default: its own)");
  command.add_option("--deadline", options.deadline, "Seconds that one case may take before its ranks count as hanging (default: 20; 60 for frameworks)");
}

SubjectSpec SpecOf(const SubjectOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& setting : options.settings) settings.push_back(KeyAndValue("--option", setting));
  if (!options.device.empty()) settings.emplace_back("device", options.device);
  SubjectChoice choice = options.choice;
  for (const auto& [key, value] : settings) {
    if (key == "device") choice.device = value;
  }
  SubjectSpec spec = ResolveSubject(options.subject, choice);
  spec.options = std::move(settings);
  return spec;
}

HostSettings HostSettingsOf(const SubjectOptions& options, const SessionFolder& folder) {
  HostSettings settings;
  if (!options.deadline.empty()) {
    settings.case_deadline = Duration("--deadline", options.deadline);
  } else if (IsFramework(options.subject)) {
    settings.case_deadline = std::chrono::seconds(60);  // four ranks of Python on two shared cores
  }
  settings.session_dir = folder.path();
  return settings;
}

}  // namespace zerocts
