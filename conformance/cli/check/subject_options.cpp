// Reads the shared options.
#include "conformance/cli/check/subject_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/cli/help_groups.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

void AddSubjectOptions(CLI::App& command, SubjectOptions& options) {
  command
      .add_option("--subject", options.subject,
                  "The implementation under test: a name of `zerocts subjects`, torch:FILE:CLASS, plugin:PATH or "
                  "exec:\"CMD\"")
      ->capture_default_str();
  command.add_option("--version", options.choice.version,
                     "Release of the framework, such as 2.13 (default: see zerocts subjects)");
  command.add_option("--python", options.choice.python,
                     "Python of your own environment with the framework (default: zerocts makes one)");
  command.add_option("--option", options.settings, "key=value for the subject; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--device", options.device,
                     "Device of the subject, such as host, sim or cuda (default: the subject's choice)");
  command.add_option("--start-deadline", options.start_deadline,
                     "Seconds from the start of a group of ranks until the last one connects (default: 120)");
  command.add_option(
      "--deadline", options.deadline,
      "Seconds that one case may take before its ranks count as hanging (default: 20; 60 for frameworks)");
  command.add_option("--shutdown-deadline", options.shutdown_deadline,
                     "Seconds that ranks may take to exit after the stop message (default: 10; 30 for frameworks)");
  PutUnder(kWhatIsJudged, command, {"--subject", "--version", "--python", "--option", "--device"});
  PutUnder(kDeadlines, command, {"--start-deadline", "--deadline", "--shutdown-deadline"});
}

namespace {

/// Clocks count in nanoseconds, and messages carry milliseconds in 32 bits.
std::chrono::seconds DeadlineOf(const char* option, const std::string& text) {
  constexpr std::chrono::hours kLongest{24};
  const std::chrono::seconds deadline = Duration(option, text);
  if (deadline <= kLongest) return deadline;
  throw UsageError(fmt::format("{}: expected at most {}h, got '{}'", option, kLongest.count(), text));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SettingsOf(const SubjectOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& setting : options.settings) settings.push_back(KeyAndValue("--option", setting));
  return settings;
}

SubjectSpec SpecOf(const SubjectOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings = SettingsOf(options);
  if (!options.device.empty()) settings.emplace_back("device", options.device);
  SubjectChoice choice = options.choice;
  for (const auto& [key, value] : settings) {
    if (key == "device") choice.device = value;
  }
  return ResolveSubject(options.subject, choice, settings);
}

HostSettings DeadlinesOf(const SubjectOptions& options) {
  HostSettings settings;
  if (IsFramework(options.subject) || IsTorchOptimizer(options.subject)) {  // four ranks of Python on two shared cores
    settings.case_deadline = std::chrono::seconds(60);
    settings.shutdown_deadline = std::chrono::seconds(30);
  }
  const auto set = [](std::chrono::milliseconds& deadline, const char* option, const std::string& given) {
    if (!given.empty()) deadline = DeadlineOf(option, given);
  };
  set(settings.start_deadline, "--start-deadline", options.start_deadline);
  set(settings.case_deadline, "--deadline", options.deadline);
  set(settings.shutdown_deadline, "--shutdown-deadline", options.shutdown_deadline);
  return settings;
}

HostSettings HostSettingsOf(const SubjectOptions& options, const SessionFolder& folder) {
  HostSettings settings = DeadlinesOf(options);
  settings.session_dir = folder.path();
  return settings;
}

}  // namespace zerocts
