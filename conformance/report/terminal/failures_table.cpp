#include "conformance/report/terminal/failures_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "conformance/report/diagnosis/shared_end.hpp"
#include "conformance/report/diagnosis/symptoms.hpp"
#include "conformance/report/terminal/brief_failure.hpp"
#include "conformance/report/terminal/failure_text.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr size_t kWholeCauses = 3, kLinesOfWholeCauses = 60, kLinesOfOthers = 14;  // in a summary
constexpr size_t kNamedConfigurations = 4, kNamedClauses = 6;

struct Failed {
  const ConfigurationView* configuration;
  const json* failure;
};

/// How many causes the failure may have, as far as its factors tell; many where there are none.
size_t Ambiguity(const json& failure) {
  const size_t factors = failure.value("factors", json::array()).size();
  return factors == 0 ? SIZE_MAX : factors;
}

/// A clause with its failures, the worst first, and of these the clearest.
struct FailedClause {
  const ClauseView* clause;
  std::vector<Failed> failures;

  const Failed& shown() const { return failures.front(); }
  /// What it says, and what was noted on it.
  std::pair<std::string, std::string> wording() const {
    if (const std::string raised = RaisedIn(*shown().failure); !raised.empty()) return {WithoutNumbers(raised), ""};
    return {WordingOf(CauseOf(shown().failure->value("sentence", ""))), WordingOf(NoteIn(*shown().failure))};
  }
};

/// Clauses whose worst failures say the same, but for numbers and names of tensors.
using Cause = std::vector<FailedClause>;

std::vector<Failed> FailuresOf(const ClauseView& clause) {
  std::vector<Failed> failures;
  for (const ConfigurationView& configuration : clause.configurations) {
    for (const json& failure : configuration.failures) failures.push_back({&configuration, &failure});
  }
  std::ranges::stable_sort(failures, [](const Failed& a, const Failed& b) {
    return std::pair(b.configuration->result, Ambiguity(*a.failure)) <
           std::pair(a.configuration->result, Ambiguity(*b.failure));
  });
  return failures;
}

/// In the order of their first clauses, what nearly all raised first, then those with the worst result.
std::vector<Cause> CausesOf(const RunView& view) {
  std::vector<Cause> causes;
  for (const ClauseView* clause : MostSpecificFirst(view)) {
    const FailedClause failed{clause, FailuresOf(*clause)};
    if (failed.failures.empty()) continue;
    const auto same =
        std::ranges::find(causes, failed.wording(), [](const Cause& cause) { return cause.front().wording(); });
    if (same == causes.end()) {
      causes.push_back({failed});
    } else {
      same->push_back(failed);
    }
  }
  std::ranges::stable_sort(causes, std::greater(),
                           [](const Cause& cause) { return cause.front().shown().configuration->result; });
  const std::string shared = SharedRaise(view);
  std::ranges::stable_partition(causes, [&](const Cause& cause) {
    return !shared.empty() && WithoutNumbers(RaisedIn(*cause.front().shown().failure)) == shared;
  });
  return causes;
}

std::string Whole(const ClauseView& clause, const Failed& failed, const Painter& paint, Detail detail) {
  const Result result = failed.configuration->result;
  const std::string head =
      fmt::format("{} under {}: {}", clause.id, ConfigurationText(*failed.failure), WordsOf(result));
  const json record = detail == Detail::kAll ? *failed.failure : Brief(*failed.failure);
  return fmt::format("\n{}\n{}", paint.As(result, head), Wrap(Printable(FailureText(record)), kColumns, 2));
}

std::string Requirement(const ClauseView& clause) {
  return '\n' + Wrap(Printable(fmt::format("{} {}: {}", clause.id, clause.name, clause.sentence)), kColumns, 0);
}

/// "a, b and 9 more"
std::string Few(const std::vector<std::string>& names, size_t most) {
  const std::vector<std::string> named(names.begin(), names.begin() + std::min(names.size(), most));
  const std::string more = names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
  return fmt::format("{}{}", fmt::join(named, ", "), more);
}

/// "also under local W=4 fp32, mpirun W=2 fp32 (refused) and 9 more": each once, however many of its cases failed.
std::string AlsoUnder(const FailedClause& failed) {
  const ConfigurationView& shown = *failed.shown().configuration;
  std::vector<std::string> names;
  for (const Failed& failure : failed.failures) {
    const ConfigurationView& configuration = *failure.configuration;
    const std::string result =
        configuration.result == shown.result ? "" : fmt::format(" ({})", WordsOf(configuration.result));
    const std::string name = configuration.name() + result;
    if (name != shown.name() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "" : Wrap("also under " + Few(names, kNamedConfigurations), kColumns, 2);
}

/// "the same in C-ZERO-003 (4 configurations), C-ZERO-004 (1 configuration) and 12 more clauses"
std::string AlsoIn(const Cause& cause) {
  std::vector<std::string> names;
  for (size_t i = 1; i < cause.size(); ++i) {
    const size_t configurations = cause[i].failures.size();
    names.push_back(
        fmt::format("{} ({} configuration{})", cause[i].clause->id, configurations, configurations == 1 ? "" : "s"));
  }
  return names.empty() ? "" : Wrap("the same in " + Few(names, kNamedClauses), kColumns, 2);
}

std::string Summary(const Cause& cause, const Painter& paint) {
  const FailedClause& first = cause.front();
  return Requirement(*first.clause) + Whole(*first.clause, first.shown(), paint, Detail::kSummary) + AlsoUnder(first) +
         AlsoIn(cause);
}

std::string AsOneLine(const FailedClause& failed) {
  const size_t more = failed.failures.size() - 1;
  return Wrap(Printable(fmt::format("{} {}: {} under {}{}", failed.clause->id, failed.clause->name,
                                    WordsOf(failed.shown().configuration->result), failed.shown().configuration->name(),
                                    more > 0 ? fmt::format(" and {} more", more) : "")),
              kColumns, 2);
}

/// The first causes whole, each by one case; the others in a line of each clause.
std::string SummaryOf(const std::vector<Cause>& causes, const Painter& paint) {
  std::string whole, in_lines;
  for (size_t i = 0; i < causes.size(); ++i) {
    const std::string text = i < kWholeCauses ? Summary(causes[i], paint) : "";
    if (i == 0 || (!text.empty() && LinesOf(whole + text) <= kLinesOfWholeCauses)) {
      whole += text;
      continue;
    }
    for (const FailedClause& failed : causes[i]) in_lines += AsOneLine(failed);
  }
  if (in_lines.empty()) return whole;
  return fmt::format("{}\nFailed too (--verbose shows every failure):\n{}", whole,
                     FirstLines(in_lines, kLinesOfOthers));
}

std::string EveryFailure(const RunView& view, const Painter& paint) {
  std::string out;
  for (const ClauseView* clause : MostSpecificFirst(view)) {
    const std::vector<Failed> failures = FailuresOf(*clause);
    if (!failures.empty()) out += Requirement(*clause);
    for (const Failed& failed : failures) out += Whole(*clause, failed, paint, Detail::kAll);
  }
  return out;
}

/// Groups of ranks that did not start or end well; of a summary the first ones.
std::string GroupEnds(const RunView& view, const Painter& paint, Detail detail) {
  constexpr size_t kMost = 2;
  std::string out;
  for (size_t i = 0; i < view.group_ends.size(); ++i) {
    const GroupEndView& end = view.group_ends[i];
    if (detail == Detail::kSummary && i == kMost)
      return out + fmt::format("  and {} more groups (--verbose names them)\n", view.group_ends.size() - kMost);
    const json record = detail == Detail::kAll ? end.record : Brief(end.record);
    out += fmt::format("\n{}\n{}", paint.As(end.result, fmt::format("{}: {}", end.name(), WordsOf(end.result))),
                       Wrap(Printable(FailureText(record)), kColumns, 2));
  }
  return out;
}

/// A shell's command of several lines as one.
std::string InOneLine(std::string command) {
  constexpr std::string_view kContinued = " \\\n ";
  for (size_t at; (at = command.find(kContinued)) != std::string::npos;) command.erase(at, kContinued.size());
  return command;
}

std::string Start(const std::string& text, size_t lines) {
  size_t end = 0;
  while (lines-- > 0 && end < text.size()) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

/// What failed, and where, in so many lines: "C-ZERO-010 under threads W=3 fp32: fail".
std::string InLines(size_t lines, const std::string& where, Result result, const json& failure, const Painter& paint) {
  constexpr size_t kHeadAndReplay = 2, kLinesOfCause = 2;
  const auto wrapped = [](const std::string& text, int indent) {
    return text.empty() ? "" : Wrap(Printable(text), kColumns, indent);
  };
  const std::string cause = Start(wrapped(CauseOf(failure.value("sentence", "")), 2), kLinesOfCause);
  const std::string difference = wrapped(failure.value("divergence", ""), 4);
  const std::string out = paint.As(result, Printable(fmt::format("{}: {}", where, WordsOf(result)))) + '\n' +
                          Start(cause + difference, lines - std::min(lines, kHeadAndReplay));
  const std::string replay = InOneLine(ReplayCommand(failure));
  return replay.empty() ? out : out + Printable("  replay: " + replay) + '\n';
}

}  // namespace

std::string FirstFailure(const RunView& view, const Painter& paint, size_t lines) {
  if (const std::vector<Cause> causes = CausesOf(view); !causes.empty()) {
    const FailedClause& first = causes.front().front();
    const json& failure = *first.shown().failure;
    return InLines(lines, fmt::format("{} under {}", first.clause->id, ConfigurationText(failure)),
                   first.shown().configuration->result, failure, paint);
  }
  if (view.group_ends.empty()) return "";
  const GroupEndView& end = view.group_ends.front();
  return InLines(lines, end.name(), end.result, end.record, paint);
}

std::string FailuresText(const RunView& view, const Painter& paint, Detail detail) {
  const std::string failures = detail == Detail::kAll ? EveryFailure(view, paint) : SummaryOf(CausesOf(view), paint);
  return failures + GroupEnds(view, paint, detail);
}

}  // namespace zerocts
