#include "conformance/cli/upgrade/release.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "conformance/cli/check/results_folder.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/own_run.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/programs.hpp"
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

/// The hashes of this program and the adapters, which are read once.
const std::string& HashesOfSuite() {
  static const std::string kHashes = [] {
    std::vector<fs::path> files = {OwnProgram()};
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(AdaptersFolder())) {
      if (entry.path().extension() == ".py" || entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::string hashes;
    for (const fs::path& file : files) hashes += HashOfText(FileText(file));
    return hashes;
  }();
  return kHashes;
}

/// The hash of all that the result depends on: the suite, the words, the files that they name.
std::string KeyOf(const std::vector<std::string>& words) {
  std::string all = HashesOfSuite();
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

fs::path LogIn(const fs::path& folder) { return folder / "results.ndjson"; }

/// The run in it. Nothing: there is none that came to its end.
std::optional<RunView> RunIn(const fs::path& folder) {
  if (!fs::is_regular_file(LogIn(folder))) return std::nullopt;
  try {
    RunView run = ViewOfLog(LogIn(folder).string());
    const bool ended = run.Objection().empty() && run.interrupted.empty() && run.exit_code() != kExitHarnessError;
    return ended ? std::optional(std::move(run)) : std::nullopt;
  } catch (const UsageError&) {  // a line is no record
    return std::nullopt;
  }
}

/// The same of an earlier call. A crash or hang may be the doing of a busy machine: it is not kept.
std::optional<RunView> KeptRunIn(const fs::path& folder) {
  std::optional<RunView> run = RunIn(folder);
  return run && run->exit_code() == kExitCrashOrHang ? std::nullopt : run;
}

}  // namespace

std::string Release::folder_name() const { return FolderName(name); }

std::string FolderName(const std::string& text) {
  const size_t cut = text.size() - std::min(text.size(), kLongestFileName);  // the end tells more
  const std::string name = AsFileName(text.substr(cut));
  return name.substr(std::min(name.find_first_not_of("_."), name.size()));
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

CheckedRelease CheckRelease(const ReleaseQuestion& question, const Release& release, const fs::path& folder_of_user,
                            bool again) {
  std::vector<std::string> words = WordsOf(question, release);
  const std::string name = question.subject + " " + release.name;
  fs::path folder = folder_of_user;
  if (IsFramework(question.subject) && !release.is_python()) {
    folder = CacheFolder() / "releases" / fmt::format("{}-{}-{}", question.subject, release.name, KeyOf(words));
    if (std::optional<RunView> run = again ? std::nullopt : KeptRunIn(folder)) {
      SayError(0, fmt::format("{}: the run in {} is kept", name, folder.string()));
      return {.folder = folder, .run = std::move(*run), .kept = true};
    }
  }
  const bool is_new = !fs::exists(folder);
  MakeFolder(folder);
  words.insert(words.end(), {"--out", folder.string()});
  // Named by this process: another may be at work in the same folder, which check then refuses.
  const fs::path output = folder / fmt::format("output.{}.txt", getpid());
  SayError(0, fmt::format("checks {}; its output goes to {}", name, output.string()));
  const int exit_code = RunOwnProgram(words, output, output, kLongestRun);
  const bool judged = exit_code != kExitUsage && exit_code != kExitHarnessError && exit_code < kKilled;
  if (std::optional<RunView> run = judged ? RunIn(folder) : std::nullopt)  // else the log may be an earlier one
    return {.folder = folder, .run = std::move(*run), .kept = false};
  const std::string sentence = fmt::format("check of {}: {}", name, LastLineOf(output));
  if (is_new && !fs::exists(LogIn(folder))) fs::remove_all(folder);
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
