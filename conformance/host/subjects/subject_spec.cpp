#include "conformance/host/subjects/subject_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/host/system/programs.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {

namespace {

namespace fs = std::filesystem;

fs::path SubjectsFolder() {
  return (fs::path(OwnProgram()).parent_path() / "../lib/zerocts/subjects").lexically_normal();
}

std::string ExistingPlugin(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UsageError(
        fmt::format("plugin {}: expected a shared library, got no file of this name; {}", path,
                    path.find("/mutants/") == std::string::npos ? "check the path" : "scripts/run mutants builds it"));
  OpenUserFile(path, std::numeric_limits<uint64_t>::max());
  return fs::canonical(path).string();
}

std::vector<std::string> NamesOf(const std::vector<FrameworkSubject>& frameworks) {
  std::vector<std::string> names;
  for (const FrameworkSubject& framework : frameworks) names.push_back(framework.name);
  return names;
}

/// Who types a path means a plugin or a command.
std::string Hint(const std::string& text, const std::vector<std::string>& known) {
  if (text.ends_with(".so")) return fmt::format(" (did you mean plugin:{}?)", text);
  if (text.find(".py:") != std::string::npos) return fmt::format(" (did you mean torch:{}?)", text);
  if (text.ends_with(".py")) return fmt::format(" (did you mean exec:\"python3 {}\"?)", text);
  return DidYouMean(text, known);
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

std::vector<std::string> SubjectNames() {
  std::vector<std::string> names = KnownSubjects();
  for (const std::string& framework : NamesOf(FrameworkSubjects())) names.push_back(framework);
  return names;
}

bool SubjectSpec::StartsAllRanks() const {
  return command.find("{world_size}") != std::string::npos && command.find("{rank}") == std::string::npos;
}

SubjectSpec ResolveSubject(const std::string& text, const SubjectChoice& choice, const SubjectOptionList& options) {
  SubjectSpec subject;
  subject.text = text;
  subject.choice = choice;
  subject.options = options;
  const std::vector<FrameworkSubject>& frameworks = FrameworkSubjects();
  const auto named =
      std::find_if(frameworks.begin(), frameworks.end(), [&](const FrameworkSubject& f) { return f.name == text; });
  if (named != frameworks.end()) {
    subject.framework = named->framework;
    subject.python = PythonFor(*named, choice);
    subject.command = RankCommand(*named, subject.python);
    return subject;
  }
  if (IsTorchOptimizer(text)) {
    const FrameworkSubject optimizer = TorchOptimizer(text);
    subject.framework = optimizer.framework;
    subject.python = PythonFor(optimizer, choice);
    subject.command = RankCommand(Probed(optimizer, subject.python, options), subject.python);
    return subject;
  }
  if (!choice.version.empty() || !choice.python.empty()) {
    throw UsageError(
        fmt::format("--{}: expected with a subject of {}, torch:FILE:CLASS, got subject \"{}\"; leave it out",
                    choice.version.empty() ? "python" : "version", fmt::join(NamesOf(frameworks), ", "), text));
  }
  if (text.starts_with("plugin:")) {
    subject.plugin = ExistingPlugin(text.substr(7));
  } else if (text.starts_with("exec:")) {
    subject.command = text.substr(5);
    if (subject.command.empty()) throw UsageError("subject \"exec:\": expected a command after it, got nothing");
    OfferAdaptersToPython();
  } else {
    const std::vector<std::string> plugins = KnownSubjects();
    if (std::find(plugins.begin(), plugins.end(), text) == plugins.end()) {
      const std::vector<std::string> known = SubjectNames();
      throw UsageError(
          fmt::format("expected a subject of {}{}torch:FILE:CLASS, plugin:PATH, exec:COMMAND, got \"{}\"{}",
                      fmt::join(known, ", "), known.empty() ? "" : ", ", text, Hint(text, known)));
    }
    subject.plugin = ExistingPlugin((SubjectsFolder() / (text + ".so")).string());
  }
  return subject;
}

}  // namespace zerocts
