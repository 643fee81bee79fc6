#include "conformance/cli/check/subject_choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cli/check/plain_run.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/report/words/text.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

std::string Part(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("  {}\n", heading);
  for (const std::string& line : lines) text += Wrap(Printable(line), kColumns, 4);
  return text;
}

/// As where a check asks only which of its options the subject has something for.
SessionSettings SettingsFor(const SubjectSpec& subject, const SubjectInfo& info) {
  SessionSettings settings;
  settings.subject = subject;
  settings.info = info;
  settings.world_sizes = DefaultWorldSizes(info.capabilities);
  return settings;
}

/// What it says of an option that nobody has; nothing where it takes that too.
std::vector<std::string> OwnOptions(const SessionSettings& settings) {
  const int world_size = settings.world_sizes.front();
  const std::optional<Case> plain = PlainCase(settings, world_size);
  if (!plain || settings.subject.StartsAllRanks()) return {};
  const SessionFolder folder;
  SubjectSpec asked = settings.subject;
  asked.options.emplace_back("which", "?");
  HostSettings host = settings.host;
  host.session_dir = folder.path();
  const RunResult result = RunPlainCase(asked, LauncherKind::kLocal, *plain, host);
  return result.ending == Ending::kRefused ? OptionsIn(result.message) : std::vector<std::string>{};
}

/// "--stage 0 1 2 3", where there is more than one value.
std::vector<std::string> DeclaredChoices(const SessionSettings& settings) {
  std::vector<std::string> lines;
  for (const ConstraintOption& option : ConstraintOptions()) {
    const std::vector<std::string> words = AvailableWords(option.name, TermsOf(settings));
    if (!option.takes_away && words.size() > 1)
      lines.push_back(fmt::format("--{} {}", option.name, fmt::join(words, " ")));
  }
  return lines;
}

/// The lines that frameworks.json has for a framework's adapter.
std::vector<std::string> NotThereYet(const std::string& subject) {
  const auto named = std::ranges::find(FrameworkSubjects(), subject, &FrameworkSubject::name);
  const std::optional<std::string> text = JsonFileText(AdaptersFolder() / "frameworks.json");
  if (named == FrameworkSubjects().end() || !text) return {};
  const nlohmann::json by_adapter = ParseJson(*text).value("not_there", nlohmann::json::object());
  return by_adapter.value(std::filesystem::path(named->adapter).filename().string(), std::vector<std::string>());
}

}  // namespace

std::vector<std::string> OptionsIn(const std::string& refusal) {
  constexpr std::string_view kMark = "this subject has: ", kBetween = ", ";
  const size_t at = refusal.find(kMark);
  if (at == std::string::npos) return {"none that it lists; it says: " + refusal};
  std::vector<std::string> options;
  for (size_t begin = at + kMark.size(), end = begin; end != std::string::npos; begin = end + kBetween.size()) {
    end = refusal.find(kBetween, begin);
    options.push_back(refusal.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return options;
}

std::string ChoicesText(const SubjectSpec& subject, const SubjectInfo& info) {
  const SessionSettings settings = SettingsFor(subject, info);
  return Part("its options (--option KEY=VALUE):", OwnOptions(settings)) +
         Part("zerocts check can hold it to:", DeclaredChoices(settings)) +
         Part("not there yet:", NotThereYet(subject.text));
}

}  // namespace zerocts
