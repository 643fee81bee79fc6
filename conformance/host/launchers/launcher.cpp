#include "conformance/host/launchers/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/host/system/programs.hpp"

namespace zerocts {

namespace {

const LauncherEntry& EntryOf(LauncherKind kind) { return *std::ranges::find(kLaunchers, kind, &LauncherEntry::kind); }

void ThrowUnlessEmpty(LauncherKind kind, const std::string& sentence) {
  if (!sentence.empty()) throw UsageError(fmt::format("--launcher {}: {}", ToString(kind), sentence));
}

}  // namespace

std::string ToString(LauncherKind kind) { return EntryOf(kind).name; }

LauncherKind LauncherKindFromString(const std::string& name) {
  std::vector<std::string> names;
  for (const LauncherEntry& entry : kLaunchers) {
    if (name == entry.name) return entry.kind;
    names.emplace_back(entry.name);
  }
  throw UsageError(
      fmt::format("expected a launcher of {}, got \"{}\"{}", fmt::join(names, ", "), name, DidYouMean(name, names)));
}

const Launcher& LauncherOf(LauncherKind kind) { return EntryOf(kind).launcher(); }

std::string LauncherSummaries() {
  std::string text;
  for (const LauncherEntry& entry : kLaunchers)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", entry.name, entry.summary);
  return text;
}

void RequireLauncher(LauncherKind kind) { ThrowUnlessEmpty(kind, LauncherOf(kind).Missing()); }
void RequireMatch(LauncherKind kind, const SubjectSpec& subject) {
  ThrowUnlessEmpty(kind, LauncherOf(kind).Mismatch(subject));
}

std::vector<std::string> ShimCommand(const SubjectSpec& subject, int threads) {
  std::vector<std::string> argv = {OwnProgram(), "worker", "--"};
  if (subject.plugin.empty()) {
    argv.insert(argv.end(), {"/bin/sh", "-c", subject.command});
  } else {
    argv.insert(argv.end(), {OwnProgram(), "worker", "--plugin", subject.plugin});
    if (threads > 1) argv.insert(argv.end(), {"--threads", std::to_string(threads)});
  }
  return argv;
}

std::vector<std::string> ShimCommandOfAllRanks(const SubjectSpec& subject) {
  return {OwnProgram(), "worker", "--all-ranks", "--", "/bin/sh", "-c", subject.command};
}

}  // namespace zerocts
