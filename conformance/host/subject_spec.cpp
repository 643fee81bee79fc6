// Which subject is meant, and what it says about itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "conformance/host/capability_check.hpp"
#include "conformance/host/group.hpp"
#include "conformance/host/known_subjects.hpp"
#include "conformance/host/launcher.hpp"
#include "conformance/host/rank_group.hpp"

namespace zerocts {

namespace {

namespace fs = std::filesystem;

constexpr auto kAskDeadline = std::chrono::seconds(30);

fs::path SubjectsFolder() { return (fs::path(OwnProgram()).parent_path() / "../lib/zerocts/subjects").lexically_normal(); }

std::string ExistingPlugin(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw UsageError(fmt::format("plugin {}: expected a shared library, got no file of this name; check the path", path));
  return fs::canonical(path).string();
}

}  // namespace

std::vector<std::string> KnownSubjects() {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& file : fs::directory_iterator(SubjectsFolder(), none)) {
    if (file.path().extension() == ".so") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

SubjectSpec ResolveSubject(const std::string& text) {
  SubjectSpec subject;
  subject.text = text;
  if (text.starts_with("plugin:")) {
    subject.plugin = ExistingPlugin(text.substr(7));
  } else if (text.starts_with("exec:")) {
    subject.command = text.substr(5);
    if (subject.command.empty()) throw UsageError("subject \"exec:\": expected a command after it, got nothing");
  } else {
    const std::vector<std::string> known = KnownSubjects();
    if (std::find(known.begin(), known.end(), text) == known.end()) {
      throw UsageError(fmt::format("expected a subject of {}{}plugin:PATH, exec:COMMAND, got \"{}\"", fmt::join(known, ", "), known.empty() ? "" : ", ", text));
    }
    subject.plugin = ExistingPlugin((SubjectsFolder() / (text + ".so")).string());
  }
  return subject;
}

SubjectInfo AskSubject(const SubjectSpec& subject) {
  const SessionFolder folder;
  HostSettings settings;
  settings.session_dir = folder.path();
  settings.start_deadline = kAskDeadline;
  try {
    RankGroup group(subject, LauncherKind::kLocal, 1, settings);
    const HelloMessage& hello = group.hello(0);
    return {hello.name, hello.version, hello.description, CapabilitiesOf(hello), hello.capabilities};
  } catch (const HarnessError& failed) {
    throw UsageError(fmt::format("subject {}: {}", subject.text, failed.what()));
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("subject {}: {}", subject.text, wrong.what()));
  }
}

}  // namespace zerocts
