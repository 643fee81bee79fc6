#include "conformance/host/launchers/launcher.hpp"

#include <gtest/gtest.h>

#include <set>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

std::string UsageErrorOf(LauncherKind kind, const SubjectSpec& subject) {
  try {
    RequireMatch(kind, subject);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Launchers, HaveOneLineEachInTheTable) {
  std::set<LauncherKind> kinds;
  std::set<std::string> names;
  for (const LauncherEntry& entry : kLaunchers) {
    EXPECT_EQ(LauncherKindFromString(ToString(entry.kind)), entry.kind);
    kinds.insert(entry.kind);
    names.insert(entry.name);
  }
  EXPECT_EQ(kinds, (std::set{LauncherKind::kLocal, LauncherKind::kThreads, LauncherKind::kMpirun, LauncherKind::kSrun,
                             LauncherKind::kCommand}));
  EXPECT_EQ(names.size(), kinds.size());
}

TEST(Launchers, SayWhichSubjectsTheyCannotStart) {
  const SubjectSpec plugin{.text = "native", .plugin = "/native.so"}, command{.text = "exec:true", .command = "true"};
  EXPECT_EQ(UsageErrorOf(LauncherKind::kThreads, command),
            "--launcher threads: expected a plugin or a framework, got exec:true; choose --launcher local");
  EXPECT_EQ(UsageErrorOf(LauncherKind::kCommand, plugin),
            "--launcher command: expected a subject exec:COMMAND, whose command starts all ranks, got native; choose "
            "--launcher local");
  for (const LauncherKind kind : {LauncherKind::kLocal, LauncherKind::kMpirun, LauncherKind::kSrun}) {
    EXPECT_EQ(UsageErrorOf(kind, plugin), "");
    EXPECT_EQ(UsageErrorOf(kind, command), "");
  }
}

}  // namespace
}  // namespace zerocts
