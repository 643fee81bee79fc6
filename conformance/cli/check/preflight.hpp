// What must hold before any rank starts; each function throws UsageError with one sentence when it does not.
#pragma once
#include <string>
#include <vector>

#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

/// Those that `text` names; "" names none.
std::vector<LauncherKind> Launchers(const std::string& text);

/// When none was named: local, and mpirun where this build has MPI and mpirun is installed; for a framework local, for
/// a command that starts all ranks just that.
std::vector<LauncherKind> DefaultLaunchers(const SubjectSpec& subject);

/// The ranks are started by a command that names their number itself.
bool StartsOneWorldSize(const SubjectSpec& subject, const std::vector<LauncherKind>& launchers);

/// Can the subject's ranks start this way? A command without {world_size} that starts all ranks gives one world size,
/// which must be named.
void RequireStart(const SubjectSpec& subject, const std::vector<LauncherKind>& launchers,
                  const std::vector<int>& named_world_sizes);

/// Can this machine hold that many rank processes at once? (Threads are one process.)
void RequireMemory(const std::vector<int>& world_sizes, const std::vector<LauncherKind>& launchers);

/// Ranks will see the GPUs that CTest gave this test, where it gave some. Are they enough for ranks that take one each
/// (a framework's; option gpu=rank)?
void UseGpusOfCtest(const SubjectSpec& subject, const std::vector<int>& world_sizes);

/// Does the subject declare these world sizes and these launchers?
void RequireReach(const SubjectInfo& subject, const std::vector<int>& world_sizes,
                  const std::vector<LauncherKind>& launchers);

/// The launcher that `text` names, for what runs under one: "one case".
LauncherKind OneLauncher(const std::string& text, const std::string& what_runs);

/// All of these of one group of ranks; what its subject says of itself. Throws StartEnded too (AskSubject).
SubjectInfo RequireGroup(const SubjectSpec& subject, const HostSettings& host, LauncherKind launcher, int ranks);

/// The folder of saved cases that run first, one folder of JSON files for each clause: `given` by --corpus, or where
/// the suite's own is installed. Throws UsageError for anything in it that would not run.
std::string CorpusFolder(const std::string& given);

}  // namespace zerocts
