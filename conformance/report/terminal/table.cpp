// The report for people: the failures, a table with a column per world size, what was not judged, the verdict.
#include "conformance/report/terminal/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/cases/case/counted.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/terminal/brief_failure.hpp"
#include "conformance/report/terminal/failures_table.hpp"
#include "conformance/report/terminal/world_size_table.hpp"
#include "conformance/report/view/not_reached.hpp"
#include "conformance/report/view/verdict_text.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

// The most lines of the parts of a summary: with the failures and the table it stays under 200 lines.
constexpr size_t kLinesOfNotes = 8, kLinesOfExpectations = 16, kLinesOfNotReached = 24;
constexpr size_t kNamedReasons = 3;

std::string Header(const RunView& view, const Painter& paint) {
  if (view.run.is_null()) return "";
  const std::string who = fmt::format("{} {}", view.subject_name(), view.subject_version());
  return fmt::format("{}  {}\n", paint.Bold(Printable(who)), view.setting());
}

std::string VerdictText(const RunView& view) {
  const std::string sentence = VerdictSentence(view);
  if (!view.Objection().empty()) return sentence;
  return fmt::format("{} (exit code {}) after {:.1f} s", sentence, view.verdict.exit_code,
                     view.end->value("seconds", 0.0));
}

std::string PaintedVerdict(const RunView& view, const Painter& paint, const std::string& text) {
  if (!view.Objection().empty()) return paint.As(Result::kHarnessError, text);
  return paint.As(view.conformant() ? Result::kPass : Result::kFail, text);
}

std::string FiguresText(const RunView& view) {
  std::string out = '\n' + Wrap(FiguresOf(view), kColumns, 0);
  if (view.cases() == 0 || !view.Objection().empty()) return out;  // of a subject that does not start nothing is known
  for (const std::string& line : {ProfilesOf(view), PairsOf(view)}) {
    if (!line.empty()) out += Wrap(line, kColumns, 0);
  }
  return out;
}

/// What was seen of the subject and is no failure.
std::string NotesOn(const RunView& view) {
  std::string out;
  for (const NoteView& note : view.notes) out += Wrap(Printable("Note: " + note.Text()), kColumns, 0);
  return out.empty() ? out : '\n' + out;
}

std::string KnownFailures(const RunView& view) {
  std::map<std::string, std::string> lines;  // by state
  int64_t of_others = 0;
  for (const ExpectationView& expectation : view.expectations) {
    const bool is_of_another =
        expectation.state == "not judged" &&
        std::ranges::find(view.clauses, expectation.clause, &ClauseView::id) == view.clauses.end();
    of_others += is_of_another ? 1 : 0;
    if (is_of_another) continue;
    const std::string seen = expectation.reason.empty() ? Counted(expectation.cases, "case") : expectation.reason;
    lines[expectation.state] +=
        Wrap(Printable(fmt::format("{} {}: {}", expectation.clause, expectation.Text(), seen)), kColumns, 2);
  }
  std::string out;
  for (const auto& [state, heading] :
       {std::pair("held", "Known failures:"), std::pair("stale", "Expectations that no longer hold:"),
        std::pair("not judged", "Expectations that this run did not judge:")}) {
    if (lines.contains(state)) out += fmt::format("\n{}\n{}", heading, lines[state]);
  }
  if (of_others > 0) out += fmt::format("\n{} of clauses that did not run\n", Counted(of_others, "expectation"));
  return out;
}

/// Every thing in a line of its own.
std::string Whole(const NotReached::Named& named, Detail detail) {
  std::string out = fmt::format("\n{}:\n", named.heading);
  for (const auto& [what, ids] : *named.list) {
    const std::string where = detail == Detail::kAll ? fmt::format("{}", fmt::join(ids, ", ")) : FewClauses(ids);
    out += Wrap(Printable(fmt::format("{} ({})", what, where)), kColumns, 2);
  }
  return out;
}

/// All where they are few, else those that concern more than one clause, most clauses first.
std::vector<std::string> NamesIn(const NotReached::List& list) {
  std::vector<const NotReached::List::value_type*> reasons;
  for (const auto& reason : list) reasons.push_back(&reason);
  std::ranges::stable_sort(reasons, std::greater(), [](const auto* reason) { return reason->second.size(); });
  std::vector<std::string> names;
  for (const auto* reason : reasons) {
    if (names.size() == kNamedReasons || (list.size() > kNamedReasons && reason->second.size() < 2)) break;
    names.push_back(fmt::format("{} ({})", reason->first, FewClauses(reason->second)));
  }
  return names;
}

/// "Not tested by the suite yet: fp16 (12 clauses) and 51 more"
std::string Shortened(const NotReached::Named& named) {
  const std::vector<std::string> names = NamesIn(*named.list);
  std::string text =
      names.empty() ? fmt::format("{} things", named.list->size()) : fmt::format("{}", fmt::join(names, ", "));
  const size_t more = named.list->size() - names.size();
  if (!names.empty() && more > 0) text += fmt::format(" and {} more", more);
  if (more > 0) text += " (--verbose names them)";
  return Wrap(Printable(fmt::format("{}: {}", named.heading, text)), kColumns, 0);
}

/// What a user can do for cases that were too few.
constexpr const char* kForMoreCases =
    "More --cases, --tier default or other --ranks may have them; zerocts explain says what each is.\n";

std::string WhatWasNotReached(const RunView& view, Detail detail) {
  const NotReached not_reached = NotReachedBy(view);
  std::string whole, shortened;
  for (const NotReached::Named& named : not_reached.lists()) {
    const bool is_why =
        named.list == &not_reached.not_enough || named.list == &not_reached.not_run;  // the verdict is bad for it
    if (detail == Detail::kAll || is_why || named.list == &not_reached.not_seen) {
      whole += Whole(named, detail);
      if (named.list == &not_reached.not_enough) whole += std::string("  ") + kForMoreCases;
    } else {
      shortened += Shortened(named);
    }
  }
  return whole + (shortened.empty() ? "" : '\n' + shortened);
}

/// For a run without a failure: "Not checked enough: the time budget was spent (C-ZERO-001)".
std::string WhyNotConformant(const RunView& view) {
  const bool says_why = view.verdict.exit_code == kExitNotConformant;  // what was required
  if (view.conformant() || says_why || !view.Objection().empty()) return "";
  if (view.verdict.exit_code == kExitStale) return KnownFailures(view);
  const NotReached not_reached = NotReachedBy(view);
  const std::vector<NotReached::Named> lists = not_reached.lists();
  if (lists.empty()) return "";
  return Shortened(lists.front()) + (lists.front().list == &not_reached.not_enough ? kForMoreCases : "");
}

}  // namespace

std::string TableOf(const RunView& view, bool color, Detail detail, const std::string& files) {
  const Painter paint(color);
  const std::string table = detail == Detail::kAll ? ClauseTable(view, paint) : FamilyTable(view, paint);
  const auto cut = [&](const std::string& text, size_t lines) {
    return detail == Detail::kAll ? text : FirstLines(text, lines);
  };
  return Header(view, paint) + FiguresText(view) + cut(NotesOn(view), kLinesOfNotes) + DiagnosisText(view.diagnosis) +
         FailuresText(view, paint, detail) + cut(KnownFailures(view), kLinesOfExpectations) + '\n' + table +
         cut(WhatWasNotReached(view, detail), kLinesOfNotReached) + (files.empty() ? "" : '\n' + files) + '\n' +
         PaintedVerdict(view, paint, VerdictText(view)) + '\n';
}

std::string GlanceOf(const RunView& view, bool color, const std::string& files) {
  const Painter paint(color);
  constexpr size_t kLines = 12;
  std::string verdict = Wrap(VerdictText(view), kColumns, 0);
  const std::string below = DiagnosisLine(view.diagnosis) + files;
  const size_t left = kLines - std::min(kLines, LinesOf(below + verdict));
  verdict.pop_back();
  const std::string failure = FirstFailure(view, paint, left);
  return (failure.empty() ? FirstLines(WhyNotConformant(view), left) : failure) + below +
         PaintedVerdict(view, paint, verdict) + '\n';
}

}  // namespace zerocts
