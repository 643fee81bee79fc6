// The plainest case that there is, run once on a group of its own: can these ranks work at all?
#pragma once
#include <optional>

#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/session/configuration/settings.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

/// As the run's constraints ask. Nothing when the subject cannot do the plainest thing under these conditions.
std::optional<Case> PlainCase(const SessionSettings& settings, int world_size);

/// Starts the ranks and runs it. Throws what RankGroup throws.
RunResult RunPlainCase(const SubjectSpec& subject, LauncherKind launcher, const Case& c, const HostSettings& host);

/// A subject that refuses a plain case at the largest world size of the run, and takes it without its options, was
/// given options that it cannot have: throws UsageError with its own sentence. Starts ranks, under each launcher, when
/// there are options; ends them.
void RequireOptions(const SessionSettings& settings);

}  // namespace zerocts
