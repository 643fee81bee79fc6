#include "conformance/host/conductor/subject_info.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/wire/capability_check.hpp"

namespace zerocts {

SubjectInfo AskSubject(const SubjectSpec& subject, const HostSettings& settings, LauncherKind launcher,
                       int world_size) {
  const SessionFolder folder;
  HostSettings own = settings;
  own.session_dir = folder.path();
  try {
    RankGroup group(subject, launcher, world_size, own);
    const HelloMessage& hello = group.hello(0);
    SubjectInfo info{hello.name,
                     hello.version,
                     hello.description,
                     CapabilitiesOf(hello, subject.options),
                     hello.capabilities,
                     group.Notes(),
                     {}};
    RunResult end = group.Stop();
    if (end.ending != Ending::kObserved) info.bad_end.push_back({launcher, world_size, std::move(end)});
    return info;
  } catch (const NotASubject& wrong) {
    throw UsageError(fmt::format("subject {}: {}", subject.text, wrong.what()));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("subject {}: {}", subject.text, wrong.what()));
  }
}

}  // namespace zerocts
