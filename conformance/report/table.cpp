// The report for people: the verdict, the failures, a table with a column per world size, what was not judged.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/report/failure_text.hpp"
#include "conformance/report/mark.hpp"
#include "conformance/report/not_reached.hpp"
#include "conformance/report/reports.hpp"
#include "conformance/report/text.hpp"
#include "conformance/report/verdict_text.hpp"
#include "conformance/report/world_size_table.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr size_t kWholeFailures = 3;  // of clauses, in a summary
constexpr size_t kNamedStrata = 4;
constexpr size_t kNamedReasons = 3;

std::string Header(const RunView& view, const Painter& paint) {
  if (view.run.is_null()) return "";
  const std::string who = fmt::format("{} {}", view.subject_name(), view.subject_version());
  return fmt::format("{}  {}\n", paint.Bold(Printable(who)), view.setting());
}

std::string VerdictText(const RunView& view, const Painter& paint) {
  const std::string sentence = VerdictSentence(view);
  if (!view.Objection().empty())
    return fmt::format("\n{}\n{}", paint.As(Result::kHarnessError, sentence), Wrap(FiguresOf(view), kColumns, 0));
  return fmt::format("\n{} (exit code {}) after {:.1f} s\n{}{}",
                     paint.As(view.conformant() ? Result::kPass : Result::kFail, sentence), view.verdict.exit_code,
                     view.end->value("seconds", 0.0), Wrap(FiguresOf(view), kColumns, 0),
                     PairsOf(view).empty() ? "" : Wrap(PairsOf(view), kColumns, 0));
}

/// What was seen of the subject and is no failure.
std::string NotesOn(const RunView& view) {
  std::string out;
  for (const NoteView& note : view.notes) out += Wrap(Printable("Note: " + note.Text()), kColumns, 0);
  return out.empty() ? out : '\n' + out;
}

struct FailedStratum {
  const StratumView* stratum;
  const json* failure;
};

std::vector<FailedStratum> FailuresOf(const ClauseView& clause) {
  std::vector<FailedStratum> failures;
  for (const StratumView& stratum : clause.strata) {
    for (const json& failure : stratum.failures) failures.push_back({&stratum, &failure});
  }
  return failures;
}

std::string Whole(const ClauseView& clause, const FailedStratum& failed, const Painter& paint) {
  const StratumView& stratum = *failed.stratum;
  const std::string head = fmt::format("{} under {}: {}", clause.id, stratum.name(), ToString(stratum.result));
  return fmt::format("\n{}\n{}", paint.As(stratum.result, head),
                     Wrap(Printable(FailureText(*failed.failure)), kColumns, 2));
}

/// "also under local W=4 fp32, mpirun W=2 fp32 and 9 more"
std::string AlsoUnder(const std::vector<FailedStratum>& failures) {
  if (failures.size() < 2) return "";
  std::vector<std::string> names;
  for (size_t i = 1; i < std::min(failures.size(), kNamedStrata + 1); ++i) names.push_back(failures[i].stratum->name());
  const size_t more = failures.size() - 1 - names.size();
  return Wrap(fmt::format("also under {}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""),
              kColumns, 2);
}

std::string AsOneLine(const ClauseView& clause, const std::vector<FailedStratum>& failures) {
  const FailedStratum& first = failures.front();
  const std::string more = failures.size() > 1 ? fmt::format(" and {} more", failures.size() - 1) : "";
  return Wrap(Printable(fmt::format("{} {}: {} under {}{}", clause.id, clause.name, ToString(first.stratum->result),
                                    first.stratum->name(), more)),
              kColumns, 2);
}

/// The first clauses that failed, each by one case; the others in a line.
std::string Failures(const RunView& view, const Painter& paint, Detail detail) {
  std::string out, in_lines;
  size_t whole = 0;
  for (const ClauseView& clause : view.clauses) {
    const std::vector<FailedStratum> failures = FailuresOf(clause);
    if (failures.empty()) continue;
    if (detail == Detail::kSummary && whole == kWholeFailures) {
      in_lines += AsOneLine(clause, failures);
      continue;
    }
    ++whole;
    const std::string demand = fmt::format("{} {}: {}", clause.id, clause.name, clause.sentence);
    out += '\n' + Wrap(Printable(demand), kColumns, 0);
    for (const FailedStratum& failed : failures) {
      out += Whole(clause, failed, paint);
      if (detail == Detail::kAll) continue;
      out += AlsoUnder(failures);
      break;
    }
  }
  for (const GroupEndView& end : view.group_ends) {
    const std::string head = fmt::format("{}: {}", end.name(), ToString(end.result));
    out += fmt::format("\n{}\n{}", paint.As(end.result, head), Wrap(Printable(FailureText(end.record)), kColumns, 2));
  }
  return in_lines.empty() ? out : fmt::format("{}\nFailed too (--verbose shows every failure):\n{}", out, in_lines);
}

std::string Expectations(const RunView& view) {
  std::map<std::string, std::string> lines;  // by state
  for (const ExpectationView& expectation : view.expectations) {
    const std::string seen =
        expectation.reason.empty() ? fmt::format("{} cases", expectation.cases) : expectation.reason;
    lines[expectation.state] +=
        Wrap(Printable(fmt::format("{} {}: {}", expectation.clause, expectation.Text(), seen)), kColumns, 2);
  }
  std::string out;
  for (const auto& [state, heading] :
       {std::pair("held", "Known failures:"), std::pair("stale", "Expectations that no longer hold:"),
        std::pair("not judged", "Expectations that this run did not judge:")}) {
    if (lines.contains(state)) out += fmt::format("\n{}\n{}", heading, lines[state]);
  }
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

/// "Not asked by the suite yet: fp16 (12 clauses) and 51 more"
std::string Shortened(const NotReached::Named& named) {
  const std::vector<std::string> names = NamesIn(*named.list);
  std::string text =
      names.empty() ? fmt::format("{} things", named.list->size()) : fmt::format("{}", fmt::join(names, ", "));
  const size_t more = named.list->size() - names.size();
  if (!names.empty() && more > 0) text += fmt::format(" and {} more", more);
  if (more > 0) text += " (--verbose names them)";
  return Wrap(Printable(fmt::format("{}: {}", named.heading, text)), kColumns, 0);
}

std::string WhatWasNotReached(const RunView& view, Detail detail) {
  const NotReached not_reached = NotReachedBy(view);
  std::string whole, shortened;
  for (const NotReached::Named& named : not_reached.lists()) {
    const bool is_why = named.list == &not_reached.not_enough;  // the verdict is bad for it
    if (detail == Detail::kAll || is_why) {
      whole += Whole(named, detail);
    } else {
      shortened += Shortened(named);
    }
  }
  return whole + (shortened.empty() ? "" : '\n' + shortened);
}

}  // namespace

std::string TableOf(const RunView& view, bool color, Detail detail) {
  const Painter paint(color);
  const std::string table = detail == Detail::kAll ? ClauseTable(view, paint) : FamilyTable(view, paint);
  return Header(view, paint) + VerdictText(view, paint) + NotesOn(view) + Failures(view, paint, detail) +
         Expectations(view) + '\n' + table + WhatWasNotReached(view, detail);
}

}  // namespace zerocts
