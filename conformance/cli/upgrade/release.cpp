#include "conformance/cli/upgrade/release.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "conformance/cli/output.hpp"
#include "conformance/cli/own_run.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/programs.hpp"
#include "conformance/report/view/run_view.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kKilled = 128;                          // from here on the exit code says by which signal
constexpr std::chrono::minutes kLongestRun{12 * 60};  // cases have deadlines of their own

std::vector<std::string> WordsOf(const ReleaseQuestion& question, const Release& release) {
  std::vector<std::string> words = {"check", "--subject", question.subject,
                                    release.is_python() ? "--python" : "--version", release.name};
  for (const std::string& option : question.options) words.insert(words.end(), {"--option", option});
  words.insert(words.end(), question.check.begin(), question.check.end());
  return words;
}

std::string HashOfText(const std::string& text) { return HashOfBytes(text.data(), text.size()); }

/// The hash of all that the result depends on: this program, the adapters, the words, the files that they name.
std::string KeyOf(const std::vector<std::string>& words) {
  std::vector<fs::path> files = {OwnProgram()};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(AdaptersFolder())) {
    if (entry.path().extension() == ".py" || entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) all += HashOfText(FileText(file));
  for (const std::string& word : words) {
    all += word + '\0';
    const std::string path = word.substr(word.find_last_of("=:") + 1);  // of --expect=FILE, file:PLAN
    if (fs::is_regular_file(path)) all += HashOfText(FileText(path));
  }
  return HashOfText(all).substr(0, 16);
}

/// The one in which adapters/environment.py makes environments: a path that is not absolute does not count.
fs::path CacheFolder() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "zerocts"}, {"HOME", ".cache/zerocts"}}) {
    const char* const folder = std::getenv(variable);
    if (folder && *folder == '/') return fs::path(folder) / below;
  }
  throw UsageError("expected HOME or XDG_CACHE_HOME in the environment, got neither; set one, or name Pythons");
}

/// Nothing: it holds no record, or one that is none.
std::optional<RunView> RunIn(const CheckedRelease& checked) {
  if (!fs::is_regular_file(checked.log())) return std::nullopt;
  try {
    return ViewOfLog(checked.log());
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

bool CameToItsEnd(const CheckedRelease& checked) {
  const std::optional<RunView> run = RunIn(checked);
  return run && run->Objection().empty() && run->interrupted.empty() && run->exit_code() != kExitHarnessError;
}

/// A crash or hang may be the doing of a busy machine: it is not kept.
bool IsKept(const CheckedRelease& checked) {
  return CameToItsEnd(checked) && RunIn(checked)->exit_code() != kExitCrashOrHang;
}

}  // namespace

std::string Release::folder_name() const { return FolderName(name); }

std::string FolderName(std::string text) {
  constexpr size_t kLongest = 64;  // two of them are part of one name, which systems cut at 255
  for (const char c : {'/', ':'}) std::ranges::replace(text, c, '_');
  if (text.size() > kLongest) text.erase(0, text.size() - kLongest);  // the end tells more
  return text.substr(std::min(text.find_first_not_of("_."), text.size()));
}

Release FindRelease(const FrameworkSubject& subject, const std::string& which, const std::string& name) {
  Release release{name, ""};
  SubjectChoice choice;
  (release.is_python() ? choice.python : choice.version) = name;
  try {
    release.python = PythonFor(subject, choice);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", which, error.what()));
  }
  return release;
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw UsageError(
        fmt::format("expected a folder that can be written, got {}: {}", folder.string(), error.message()));
}

CheckedRelease CheckRelease(const ReleaseQuestion& question, const Release& release, const fs::path& folder,
                            bool again) {
  std::vector<std::string> words = WordsOf(question, release);
  CheckedRelease checked{folder};
  if (IsFramework(question.subject) && !release.is_python()) {
    checked.folder = CacheFolder() / "releases" / fmt::format("{}-{}-{}", question.subject, release.name, KeyOf(words));
    checked.kept = !again && IsKept(checked);
  }
  const std::string name = question.subject + " " + release.name;
  if (checked.kept) {
    SayError(0, fmt::format("{}: the run in {} is kept", name, checked.folder.string()));
    return checked;
  }
  const bool is_new = !fs::exists(checked.folder);
  MakeFolder(checked.folder);
  words.insert(words.end(), {"--out", checked.folder.string()});
  // Named by this process: another may be at work in the same folder, which check then refuses.
  const fs::path output = checked.folder / fmt::format("output.{}.txt", getpid());
  SayError(0, fmt::format("checks {}; its output goes to {}", name, output.string()));
  const int exit_code = RunOwnProgram(words, output, output, kLongestRun);
  const bool judged = exit_code != kExitUsage && exit_code != kExitHarnessError && exit_code < kKilled;
  if (judged && CameToItsEnd(checked)) return checked;  // else the log may be an earlier one
  const std::string sentence = fmt::format("check of {}: {}", name, LastLineOf(output));
  if (is_new && !fs::exists(checked.log())) fs::remove_all(checked.folder);
  if (exit_code == kExitUsage) throw UsageError(sentence);
  throw HarnessError(sentence);
}

ReleaseFacts FactsOf(const std::string& subject, const Release& release) {
  SayError(0, fmt::format("asks {} {} for defaults and keys", subject, release.name));
  const PythonAnswer answer = AskPython(release.python, "release_facts.py", {subject});
  if (!answer.found) return {.values = {}, .problem = fmt::format("{}: {}", release.name, answer.text)};
  return {.values = ParseJson(answer.text), .problem = ""};
}

}  // namespace zerocts
